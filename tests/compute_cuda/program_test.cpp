#include <foxhunt/kernel.hpp>

#include "rig.hpp"

namespace foxhunt::compute::cuda::test {
namespace {

FOXHUNT_KERNEL(count_up, "t/count_up.cu", 32, FOXHUNT_PARAMS({"step", FH_U64, FH_INOUT}),
               FOXHUNT_NO_CONSTANTS, nullptr);
FOXHUNT_KERNEL(mix, "t/mix.cu", 128,
               FOXHUNT_PARAMS({"a", FH_F32, FH_IN}, {"b", FH_F32, FH_IN}, {"y", FH_F32, FH_INOUT},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

const KernelLibrary library{"test",
                            {&count_up, &mix},
                            {{"t/count_up.cu", R"(#include "common/platform.cuh"
extern "C" __global__ void count_up(unsigned long long* step) {
  if (threadIdx.x == 0) ++*step;
})"},
                             {"t/mix.cu", R"(#include "common/platform.cuh"
extern "C" __global__ void mix(const real* a, const real* b, real* y, int n) {
  FH_FOR_ELEMENTS(i, n) {
    const real drive = real(0.1) * real(i % 5 - 2);  // so that nothing fades away
    const real v = real(0.5) * y[i] + real(0.9) * a[i] - real(0.7) * b[n - 1 - i] + drive;
    y[i] = v > real(0.7) ? real(0.7) : v < real(-0.7) ? real(-0.7) : v;
  }
})"}}};

using CudaProgram = OnGpu;

TEST_F(CudaProgram, MirrorsFollowEverySubmission) {
  Rig rig(library);
  const TensorId step = rig.tensor("step", shape(), FH_U64), kept = rig.tensor("kept", shape(4));
  rig.record().launch(count_up, Grid::blocks(1), {inout(rig[step])});
  rig.allocate();
  const auto* seen = static_cast<const uint64_t*>(rig.compute().mirror(step));
  const auto* unchanged = static_cast<const float*>(rig.compute().mirror(kept));
  EXPECT_EQ(rig.compute().mirror(step), seen);
  EXPECT_EQ(*seen, 0u);
  rig.prepare();
  rig.upload(kept, std::vector<float>{1, 2, 3, 4});
  for (uint64_t run = 1; run <= 10; ++run) {
    rig.executable().submit();
    EXPECT_EQ(rig.compute().submitted(), run);
    rig.compute().wait(run);
    ASSERT_EQ(*seen, run);
  }
  EXPECT_EQ(unchanged[3], 4) << "a tensor that the program does not write is mirrored, too";
}

TEST_F(CudaProgram, ManyRunsInFlight) {
  Rig rig(library);
  const TensorId step = rig.tensor("step", shape(), FH_U64);
  rig.record().launch(count_up, Grid::blocks(1), {inout(rig[step])});
  rig.allocate();
  const auto* seen = static_cast<const uint64_t*>(rig.compute().mirror(step));
  rig.prepare();
  for (int i = 0; i < 1000; ++i) rig.executable().submit();
  for (const uint64_t run : {uint64_t{1}, uint64_t{500}, uint64_t{937}, uint64_t{1000}}) {
    rig.compute().wait(run);
    EXPECT_GE(*seen, run);
  }
  rig.compute().wait(5000);  // more than were submitted: all of them
  EXPECT_EQ(*seen, 1000u);
  EXPECT_EQ(rig.download<uint64_t>(step), std::vector<uint64_t>{1000});
}

TEST_F(CudaProgram, EmptyProgramRuns) {
  Rig rig(library);
  rig.tensor("unused", shape(1));
  rig.allocate();
  rig.prepare();
  rig.run(3);
  EXPECT_EQ(rig.compute().submitted(), 3u);
}

TEST_F(CudaProgram, SeveralProgramsRunInOrderOfSubmission) {
  Rig rig(library);
  const TensorId step = rig.tensor("step", shape(), FH_U64);
  rig.record().launch(count_up, Grid::blocks(1), {inout(rig[step])});
  rig.allocate();
  rig.prepare();
  Program reset;
  reset.name = "reset";
  FillOp fill{Operand{step, 0, shape()}, 100};
  reset.ops.push_back({"reset", "", fill, {}, {fill.to}});
  const auto second = rig.compute().prepare(reset);
  rig.executable().submit();
  second->submit();
  rig.executable().submit();
  rig.compute().wait_all();
  EXPECT_EQ(rig.download<uint64_t>(step), std::vector<uint64_t>{101});
}

// A program of many products, kernels and copies over few tensors, so that there are branches and conflicts.
std::vector<float> run_random_program(bool branches, uint32_t seed) {
  const Environment set("FOXHUNT_CUDA_BRANCHES", branches ? "1" : "0");
  const int64_t side = 96;
  Rig rig(library, Rig::fast(true));
  std::vector<TensorId> tensors;
  for (int i = 0; i < 24; ++i) tensors.push_back(rig.tensor("t" + std::to_string(i), shape(side, side)));
  std::mt19937 random(seed);
  Recorder record = rig.record();
  for (int op = 0; op < 400; ++op) {
    std::vector<TensorId> t = tensors;
    for (size_t i = 0; i < 3; ++i) std::swap(t[i], t[i + random() % (t.size() - i)]);
    const fh_tensor a = rig[t[0]], b = rig[t[1]], y = rig[t[2]];
    switch (random() % 4) {
      case 0:
        record.gemm(y, a, b, {false, random() % 2 == 0, 0.01f, 0.25f});
        break;
      case 1:
        record.launch(mix, Grid::elements(side * side), {in(a), in(b), inout(y), i32(side * side)});
        break;
      case 2:  // halves of a tensor are independent of each other
        record.gemm(record.view(y, 0, shape(side / 2, side)),
                    record.view(a, side * side / 2, shape(side / 2, side)), b, {false, false, 0.01f});
        break;
      default:
        record.copy(record.view(y, side * side / 2, shape(side / 2, side)),
                    record.view(a, 0, shape(side / 2, side)));
    }
  }
  rig.allocate();
  rig.prepare();
  for (size_t i = 0; i < tensors.size(); ++i)
    rig.upload(tensors[i], random_values(side * side, static_cast<uint32_t>(i)));
  rig.run(5);
  std::vector<float> all;
  for (TensorId t : tensors) {
    const std::vector<float> values = rig.download<float>(t);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

TEST_F(CudaProgram, BranchesGiveTheBitsOfTheChainAndOfARepetition) {
  for (const uint32_t seed : {1u, 2u, 3u}) {
    const std::vector<float> chain = run_random_program(false, seed);
    for (int repetition = 0; repetition < 2; ++repetition) {
      const std::vector<float> branches = run_random_program(true, seed);
      ASSERT_EQ(std::memcmp(chain.data(), branches.data(), chain.size() * sizeof(float)), 0) << seed;
    }
    float largest = 0;
    for (float v : chain) largest = std::max(largest, std::abs(v));
    EXPECT_GT(largest, 0.1f);
    EXPECT_LT(largest, 10.0f);
  }
}

TEST_F(CudaProgram, SwitchOfTheBranchesIsChecked) {
  const Environment set("FOXHUNT_CUDA_BRANCHES", "yes");
  EXPECT_NE(open_cuda(Rig::parity()).reason.find("FOXHUNT_CUDA_BRANCHES"), std::string::npos);
}

}  // namespace
}  // namespace foxhunt::compute::cuda::test
