#include "compute/cuda/dependencies.hpp"

#include "compute/cuda/workspaces.hpp"
#include "rig.hpp"

namespace foxhunt::compute::cuda::test {
namespace {

using Ops = std::vector<uint32_t>;
Access reads(TensorId t, uint64_t begin = 0, uint64_t end = 100) { return {t, begin, end, false}; }
Access writes(TensorId t, uint64_t begin = 0, uint64_t end = 100) { return {t, begin, end, true}; }

TEST(CudaDependencies, WriteThenReadThenWrite) {
  Dependencies d;
  d.add({writes(1)});
  EXPECT_EQ(d.predecessors(), Ops{});
  d.add({reads(1), writes(2)});
  EXPECT_EQ(d.predecessors(), Ops{0});
  d.add({reads(1), writes(3)});
  EXPECT_EQ(d.predecessors(), Ops{0}) << "two readers are independent";
  d.add({writes(1)});
  EXPECT_EQ(d.predecessors(), (Ops{2, 1})) << "a write waits for both readers; the first write is implied";
  EXPECT_TRUE(d.is_before(0, 3));
  EXPECT_FALSE(d.is_before(1, 2));
}

TEST(CudaDependencies, WindowsOfOneTensorMeetOnlyWhereTheyOverlap) {
  Dependencies d;
  d.add({writes(1, 0, 50)});
  d.add({writes(1, 50, 100)});
  EXPECT_EQ(d.predecessors(), Ops{});
  d.add({reads(1, 49, 50)});
  EXPECT_EQ(d.predecessors(), Ops{0});
  d.add({reads(1, 49, 51)});
  EXPECT_EQ(d.predecessors(), (Ops{1, 0}));
}

TEST(CudaDependencies, PartialWriteDoesNotHideTheRestOfAnEarlierOne) {
  Dependencies d;
  d.add({writes(1, 0, 100)});
  d.add({writes(1, 40, 60)});
  d.add({reads(1, 0, 10)});
  EXPECT_EQ(d.predecessors(), Ops{0});
}

TEST(CudaDependencies, InPlaceUpdatesFormAChain) {
  Dependencies d;
  for (uint32_t i = 0; i < 200; ++i) {
    EXPECT_EQ(d.add({reads(1), writes(1)}), i);
    EXPECT_EQ(d.predecessors(), i ? Ops{i - 1} : Ops{});
  }
  EXPECT_TRUE(d.is_before(0, 199));
}

TEST(CudaDependencies, ExtraOrderIsKept) {
  Dependencies d;
  d.add({writes(1)});
  d.add({writes(2)});
  d.wait_for(0);
  EXPECT_EQ(d.predecessors(), Ops{0});
  d.add({reads(2)});
  EXPECT_TRUE(d.is_before(0, 2));
}

// Random programs: every pair in conflict is ordered, and the order is no more than the closure of conflicts.
TEST(CudaDependencies, OrderIsTheClosureOfTheConflicts) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<std::vector<Access>> ops(90);
    for (auto& op : ops)
      for (uint32_t k = 0; k < 1 + random() % 3; ++k) {
        const uint64_t begin = random() % 20;
        op.push_back(
            {static_cast<TensorId>(1 + random() % 4), begin, begin + 1 + random() % 12, random() % 3 == 0});
      }
    std::vector<std::vector<bool>> closure(ops.size(), std::vector<bool>(ops.size())), waited = closure;
    Dependencies d;
    for (uint32_t i = 0; i < ops.size(); ++i) {
      d.add(ops[i]);
      const auto include = [&](std::vector<std::vector<bool>>& matrix, uint32_t j) {
        matrix[j][i] = true;
        for (uint32_t e = 0; e < j; ++e)
          if (matrix[e][j]) matrix[e][i] = true;
      };
      for (uint32_t j : d.predecessors()) include(waited, j);
      for (uint32_t j = 0; j < i; ++j)
        for (const Access& a : ops[i])
          for (const Access& b : ops[j])
            if (a.tensor == b.tensor && a.begin < b.end && b.begin < a.end && (a.write || b.write))
              include(closure, j);
    }
    EXPECT_EQ(waited, closure);
  }
}

TEST(CudaWorkspaces, OneChainNeedsOne) {
  Dependencies d;
  Workspaces w;
  for (uint32_t i = 0; i < 50; ++i) EXPECT_EQ(w.take(d, d.add({reads(1), writes(1)}), i == 20 ? 900 : i), 0u);
  EXPECT_EQ(w.bytes(), std::vector<size_t>{900});
}

TEST(CudaWorkspaces, SharedOnlyByProductsInOrder) {
  std::mt19937 random(3);
  Dependencies d;
  Workspaces w;
  std::vector<std::vector<uint32_t>> users(Workspaces::most);
  for (int i = 0; i < 500; ++i) {
    const auto any = [&] { return static_cast<TensorId>(1 + random() % 40); };
    const uint32_t op = d.add({reads(any()), reads(any()), writes(any())});
    const size_t slot = w.take(d, op, 64);
    ASSERT_LT(slot, users.size());
    for (uint32_t other : users[slot]) EXPECT_TRUE(d.is_before(other, op));
    users[slot].push_back(op);
  }
  EXPECT_EQ(w.bytes(), std::vector<size_t>(Workspaces::most, 64))
      << "so many tensors leave room for branches";
}

TEST(CudaDependencies, AccessesOfAWindowAreThoseOfItsParent) {
  Tensors tensors;
  TensorSpec spec;
  spec.name = "group", spec.shape = shape(10), spec.dtype = FH_F64;
  const TensorId group = tensors.add(spec);
  spec.name = "part", spec.shape = shape(4), spec.parent = group, spec.parent_offset = 3;
  const TensorId part = tensors.add(spec);
  Op op;
  op.reads = {Operand{part, 1, shape(2)}, Operand{part, 0, shape(0)}};
  op.writes = {Operand{group, 9, shape(1)}};
  const std::vector<Access> accesses = accesses_of(op, tensors);
  ASSERT_EQ(accesses.size(), 2u) << "an empty window is no access";
  EXPECT_EQ(accesses[0].tensor, group);
  EXPECT_EQ(accesses[0].begin, 32u);
  EXPECT_EQ(accesses[0].end, 48u);
  EXPECT_FALSE(accesses[0].write);
  EXPECT_EQ(accesses[1].begin, 72u);
  EXPECT_TRUE(accesses[1].write);
}

}  // namespace
}  // namespace foxhunt::compute::cuda::test
