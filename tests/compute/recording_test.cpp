#include <gtest/gtest.h>

#include <cmath>
#include <foxhunt/error.hpp>
#include <set>

#include "support.hpp"

namespace foxhunt::compute::test {
namespace {

using ::testing::Test;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_REFUSED(part, ...)                                  \
  do {                                                             \
    const std::string said = error_of([&] { __VA_ARGS__; });       \
    EXPECT_TRUE(contains(said, part)) << "said: '" << said << "'"; \
  } while (false)

struct RecordingTest : Test {
  Rig rig;
  TensorId x = rig.add("x", shape(8)), y = rig.add("y", shape(8)), ints = rig.add("ints", shape(8), FH_I32);
  TensorId table = rig.add("table", shape(4, 8)), out = rig.add("out", shape(4)),
           flag = rig.add("flag", shape(4), FH_I32);
  Recording recording = rig.record("c51", "c51/learn");
  Recorder r = recording.recorder();
  fh_tensor rx = recording.read(x), wy = recording.write(y);
  std::vector<fh_constant> rows = {constant("WIDTH", 8), real_constant("FACTOR", 0.5)};
};

TEST_F(RecordingTest, AWellFormedLaunchDeclaresItsDataFlow) {
  r.launch(test_axpy, Grid::elements(8), {in(rx), inout(wy), f32(2), i32(8)});
  ASSERT_EQ(rig.program.ops.size(), 1u);
  const Op& op = rig.program.ops[0];
  EXPECT_EQ(op.owner, "c51");
  EXPECT_EQ(op.step, "c51/learn");
  ASSERT_EQ(op.reads.size(), 2u);
  EXPECT_EQ(op.reads[0].tensor, x);
  EXPECT_EQ(op.reads[1].tensor, y);
  ASSERT_EQ(op.writes.size(), 1u);
  EXPECT_EQ(op.writes[0].tensor, y);
}

TEST_F(RecordingTest, WritingThroughAReadHandleIsRefusedWithAllNames) {
  const fh_tensor ry = recording.read(y);
  const std::string why = error_of([&] {
    r.launch(test_axpy, Grid::elements(8), {in(rx), inout(ry), f32(2), i32(8)});
  });
  for (const char* part : {"c51", "c51/learn", "test library", "test_axpy", "'y'", "may only be read"})
    EXPECT_TRUE(contains(why, part)) << part << " is not in: " << why;
  EXPECT_REFUSED("may only be read", r.fill(ry, 0));
  EXPECT_REFUSED("may only be read", r.copy(ry, rx));
  EXPECT_REFUSED("may only be read", r.fill(r.view(ry, 2, shape(2)), 0));
  EXPECT_REFUSED("may only be read", r.gemm(ry, rx, rx));
  EXPECT_TRUE(rig.program.ops.empty());
}

TEST_F(RecordingTest, ArgumentsMustFitTheDeclaration) {
  EXPECT_REFUSED("3 arguments", r.launch(test_axpy, Grid::elements(8), {in(rx), inout(wy), f32(2)}));
  EXPECT_REFUSED("another access or type",
                 r.launch(test_axpy, Grid::elements(8), {inout(wy), inout(wy), f32(2), i32(8)}));
  EXPECT_REFUSED("another access or type",
                 r.launch(test_axpy, Grid::elements(8), {in(rx), inout(wy), i32(2), i32(8)}));
  EXPECT_REFUSED(
      "declared as f32, but tensor 'ints' is i32",
      r.launch(test_axpy, Grid::elements(8), {in(recording.read(ints)), inout(wy), f32(2), i32(8)}));
  EXPECT_REFUSED("no tensor (handle 0)",
                 r.launch(test_axpy, Grid::elements(8), {in(0), inout(wy), f32(2), i32(8)}));
  EXPECT_REFUSED("shares memory",
                 r.launch(test_axpy, Grid::elements(8), {in(recording.read(y)), inout(wy), f32(2), i32(8)}));
  Argument tensor_as_scalar = f32(2);
  tensor_as_scalar.value.tensor = rx;
  EXPECT_REFUSED("declared as a scalar",
                 r.launch(test_axpy, Grid::elements(8), {in(rx), inout(wy), tensor_as_scalar, i32(8)}));
  EXPECT_REFUSED("unknown kind of grid",
                 r.launch(test_axpy, Grid{7, 8}, {in(rx), inout(wy), f32(2), i32(8)}));
  EXPECT_REFUSED("more than",
                 r.launch(test_axpy, Grid::blocks(int64_t{1} << 40), {in(rx), inout(wy), f32(2), i32(8)}));
  EXPECT_TRUE(rig.program.ops.empty());
}

TEST_F(RecordingTest, HandlesOfAnotherRecordingAreRefused) {
  Recording other = rig.record("twin");
  const fh_tensor foreign = other.write(y);
  EXPECT_REFUSED("not a handle of this recording", r.fill(foreign, 0));
  EXPECT_REFUSED("not a handle of this recording", r.fill(12345, 0));
  EXPECT_REFUSED("unknown tensor", recording.read(TensorId{99}));
}

TEST_F(RecordingTest, KernelsAndConstantsMustBeDeclared) {
  const fh_kernel stranger{sizeof(fh_kernel), 32,     "test/basic.cu", "stranger", nullptr, 0, 0,
                           nullptr,           nullptr};
  EXPECT_REFUSED("does not declare it", r.launch(stranger, Grid::blocks(1), {}));
  const auto launch = [&](const std::vector<fh_constant>& constants) {
    r.launch(
        test_row_sum, Grid::blocks(4),
        {in(recording.read(table)), foxhunt::out(recording.write(out)), foxhunt::out(recording.write(flag))},
        constants);
  };
  EXPECT_REFUSED("'FACTOR' is not given", launch({constant("WIDTH", 8)}));
  EXPECT_REFUSED("given twice", launch({rows[0], rows[1], constant("WIDTH", 9)}));
  EXPECT_REFUSED("given 3 constants", launch({rows[0], rows[1], constant("OTHER", 9)}));
  launch({rows[1], rows[0]});
  launch(rows);
  launch({constant("WIDTH", 4), rows[1]});
  EXPECT_EQ(rig.program.units.size(), 2u) << "equal constants in any order are one unit";
  EXPECT_EQ(std::get<LaunchOp>(rig.program.ops[0].work).shared_bytes(1), 64u);
}

TEST_F(RecordingTest, KernelsOfOneFileMustShareTheirConstants) {
  static constexpr const char* names[] = {"A"};
  const fh_kernel a{sizeof(fh_kernel), 32, "f.cu", "a", nullptr, 0, 1, names, nullptr};
  const fh_kernel b{sizeof(fh_kernel), 32, "f.cu", "b", nullptr, 0, 0, names, nullptr};
  const KernelLibrary kernels{"plugin p", {&a, &b}, {}};
  EXPECT_REFUSED("declare different constants", rig.record("", "s", kernels));
  const fh_kernel wide{sizeof(fh_kernel), 2048, "g.cu", "c", nullptr, 0, 0, names, nullptr};
  const KernelLibrary too_wide{"plugin p", {&wide}, {}};
  EXPECT_REFUSED("2048 threads", rig.record("", "s", too_wide));
}

TEST_F(RecordingTest, AnEmptyGridIsCheckedButNotRecorded) {
  r.launch(test_axpy, Grid::elements(0), {in(rx), inout(wy), f32(2), i32(0)});
  EXPECT_TRUE(rig.program.ops.empty());
}

TEST_F(RecordingTest, ScratchBelongsToThePrefix) {
  const fh_tensor a = r.scratch("z", shape(3, 2));
  EXPECT_EQ(recording.operand(a).tensor, rig.tensors.find("heads/c51/z"));
  Recording again = rig.record("c51", "c51/infer"), twin = rig.record("twin");
  EXPECT_EQ(again.operand(again.recorder().scratch("z", shape(3, 2))).tensor, recording.operand(a).tensor);
  EXPECT_NE(twin.operand(twin.recorder().scratch("z", shape(3, 2))).tensor, recording.operand(a).tensor);
  EXPECT_REFUSED("exists as f32 [3, 2]", again.recorder().scratch("z", shape(2, 3)));
  EXPECT_REFUSED("exists as f32 [3, 2]", again.recorder().scratch("z", shape(3, 2), FH_I32));
  EXPECT_REFUSED("negative dimension", r.scratch("bad", shape(-1)));
  EXPECT_REFUSED("more elements than can be counted",
                 r.scratch("bad", shape(int64_t{1} << 40, int64_t{1} << 40)));
  EXPECT_REFUSED("without a name", r.scratch("", shape(1)));
}

TEST_F(RecordingTest, ViewsStayInside) {
  const fh_tensor all = recording.read(table), row = r.slice(all, 3);
  EXPECT_EQ(recording.operand(row).offset, 24);
  EXPECT_EQ(r.shape_of(row).rank, 1u);
  EXPECT_EQ(recording.operand(r.view(row, 4, shape(4))).offset, 28);
  EXPECT_REFUSED("reaches beyond 'table'", r.slice(all, 4));
  EXPECT_REFUSED("reaches beyond", r.view(row, 5, shape(4)));
  EXPECT_REFUSED("reaches beyond", r.view(row, -1, shape(1)));
  EXPECT_REFUSED("reaches beyond", r.view(row, INT64_MAX, shape(1)));
}

TEST_F(RecordingTest, ProductsCheckShapes) {
  const TensorId a = rig.add("a", shape(2, 3, 5)), b = rig.add("b", shape(5, 7)),
                 c = rig.add("c", shape(6, 7));
  const fh_tensor ra = recording.read(a), rb = recording.read(b), wc = recording.write(c);
  Gemm biased;
  biased.bias = rx;
  EXPECT_REFUSED("f32 [7] is needed", r.gemm(wc, ra, rb, biased));
  Gemm transposed;
  transposed.transpose_b = true;
  EXPECT_REFUSED("do not fit", r.gemm(wc, ra, rb, transposed));
  EXPECT_REFUSED("f32 is needed", r.gemm(wc, ra, recording.read(ints)));
  EXPECT_REFUSED("shares memory", r.gemm(wc, ra, r.view(wc, 0, shape(5, 7))));
  Gemm infinite;
  infinite.alpha = INFINITY;
  EXPECT_REFUSED("finite", r.gemm(wc, ra, rb, infinite));
  r.gemm(wc, ra, rb);
  ASSERT_EQ(rig.program.ops.size(), 1u);
  EXPECT_EQ(rig.program.ops[0].reads.size(), 2u) << "beta = 0 does not read C";
  Gemm adding;
  adding.beta = 1;
  r.gemm(wc, ra, rb, adding);
  EXPECT_EQ(rig.program.ops[1].reads.size(), 3u);
}

TEST_F(RecordingTest, FillsAndCopiesCheckTypes) {
  const fh_tensor wi = recording.write(ints);
  EXPECT_REFUSED("cannot be filled", r.fill(wi, 0.5));
  EXPECT_REFUSED("cannot be filled", r.fill(wi, 3e9));
  EXPECT_REFUSED("cannot be filled", r.fill(wi, NAN));
  EXPECT_REFUSED("must be equal", r.copy(wi, rx));
  EXPECT_REFUSED("must be equal", r.copy(wy, r.view(rx, 0, shape(4))));
  EXPECT_REFUSED("share memory", r.copy(r.view(wy, 0, shape(4)), r.view(wy, 2, shape(4))));
  r.fill(wi, -3);
  r.copy(wy, rx);
  EXPECT_EQ(rig.program.ops.size(), 2u);
}

TEST_F(RecordingTest, StreamsBelongToNames) {
  std::set<std::pair<uint32_t, uint32_t>> keys;
  const auto add = [&](Recorder::Key k) { return keys.insert({k.k[0], k.k[1]}).second; };
  EXPECT_TRUE(add(r.stream("tau")));
  EXPECT_FALSE(add(r.stream("tau"))) << "the same name is the same stream";
  Recording twin = rig.record("twin");
  EXPECT_TRUE(add(twin.recorder().stream("tau")));
  EXPECT_TRUE(add(r.stream("noise")));
  for (uint64_t seed = 0; seed < 1000; ++seed)
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(add(stream_key(seed, "stream " + std::to_string(i))));
  EXPECT_EQ(stream_key(1, "policy").k[0], stream_key(1, "policy").k[0]);
  EXPECT_REFUSED("without a purpose", r.stream(""));
}

TEST_F(RecordingTest, NoiseIsDrawnIntoScratchUnlessItIsGivenFromOutside) {
  int draws = 0;
  const auto noise = [&](const char* name) {
    return recording.operand(r.noise(name, shape(8), [&](fh_tensor t) {
      ++draws;
      r.fill(t, 0.5);
    }));
  };
  const TensorId own = noise("tau").tensor;
  EXPECT_EQ(rig.tensors[own].name, "heads/c51/tau");
  EXPECT_EQ(rig.tensors[own].lifetime, Lifetime::scratch);
  EXPECT_EQ(draws, 1);

  std::vector<std::string> asked;
  recording.set_noise_source([&](const std::string& name, const fh_shape& s) {
    EXPECT_EQ(elements(s), 8);
    asked.push_back(name);
    if (name == "given") return Recording::Noise{x, true};
    return name == "kept" ? Recording::Noise{y, false} : Recording::Noise{};
  });
  EXPECT_EQ(noise("given").tensor, x);
  EXPECT_EQ(draws, 1);
  EXPECT_EQ(noise("kept").tensor, y);
  EXPECT_EQ(draws, 2);
  EXPECT_EQ(noise("tau").tensor, own);
  EXPECT_EQ(draws, 3);
  EXPECT_EQ(asked, (std::vector<std::string>{"given", "kept", "tau"}));

  EXPECT_REFUSED("may only be read", r.fill(r.noise("given", shape(8), [](fh_tensor) {}), 0));
  EXPECT_REFUSED("random numbers without a name", noise(""));
}

TEST(TensorsTest, NamesShapesAndWindowsAreChecked) {
  Rig rig;
  const TensorId parent = rig.add("group", shape(10), FH_F32, Lifetime::state);
  TensorSpec window;
  window.name = "group/w";
  window.shape = shape(2, 3);
  window.parent = parent;
  window.parent_offset = 4;
  const TensorId w = rig.tensors.add(window);
  EXPECT_EQ(rig.tensors.find("group/w"), w);
  EXPECT_EQ(rig.tensors.bytes(w), 24u);
  EXPECT_EQ(rig.tensors.find("nothing"), 0u);
  EXPECT_REFUSED("exists already", rig.add("group", shape(1)));
  window.name = "beyond";
  window.parent_offset = 5;
  EXPECT_REFUSED("reaches beyond 'group'", rig.tensors.add(window));
  window.name = "nested";
  window.parent = w;
  window.parent_offset = 0;
  EXPECT_REFUSED("itself a window", rig.tensors.add(window));
  EXPECT_EQ(rig.tensors.state(), std::vector<TensorId>{parent});
}

}  // namespace
}  // namespace foxhunt::compute::test
