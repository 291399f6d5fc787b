#include <foxhunt/kernel.hpp>

#include "rig.hpp"

namespace foxhunt::compute::cuda::test {
namespace {

FOXHUNT_KERNEL(scalars, "t/scalars.cu", 64,
               FOXHUNT_PARAMS({"out", FH_F64, FH_OUT}, {"a", FH_F32, FH_SCALAR}, {"b", FH_I32, FH_SCALAR},
                              {"c", FH_U32, FH_SCALAR}, {"d", FH_U64, FH_SCALAR}, {"e", FH_F64, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);
FOXHUNT_KERNEL(index_all, "t/index_all.cu", 256,
               FOXHUNT_PARAMS({"out", FH_I32, FH_INOUT}, {"n", FH_I32, FH_SCALAR}), FOXHUNT_NO_CONSTANTS,
               nullptr);

uint64_t row_bytes(const int64_t* constants, uint32_t) { return static_cast<uint64_t>(constants[0]) * 4; }
FOXHUNT_KERNEL(reverse_rows, "t/reverse_rows.cu", 128,
               FOXHUNT_PARAMS({"in", FH_F32, FH_IN}, {"out", FH_F32, FH_OUT}), FOXHUNT_CONSTANTS("WIDTH"),
               row_bytes);
uint64_t bytes_by_block(const int64_t*, uint32_t block) { return uint64_t{block} * 512; }
FOXHUNT_KERNEL(block_size, "t/block_size.cu", 1024, FOXHUNT_PARAMS({"out", FH_I32, FH_OUT}),
               FOXHUNT_NO_CONSTANTS, bytes_by_block);

const KernelLibrary library{"test",
                            {&scalars, &index_all, &reverse_rows, &block_size},
                            {{"t/scalars.cu", R"(#include "common/platform.cuh"
extern "C" __global__ void scalars(double* out, real a, int b, unsigned c, unsigned long long d, double e) {
  if (threadIdx.x == 0) {
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
  }
})"},
                             {"t/index_all.cu", R"(#include "common/platform.cuh"
extern "C" __global__ void index_all(int* out, int n) {
  FH_FOR_ELEMENTS(i, n) { out[i] += i; }
})"},
                             {"t/reverse_rows.cu", R"(#include "common/platform.cuh"
extern "C" __global__ void reverse_rows(const real* in, real* out) {
  FH_SHARED(real, row);
  const long long base = (long long)blockIdx.x * WIDTH;
  for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) row[i] = in[base + i];
  __syncthreads();
  for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) out[base + i] = row[WIDTH - 1 - i];
})"},
                             {"t/block_size.cu", R"(#include "common/platform.cuh"
extern "C" __global__ void block_size(int* out) {
  FH_SHARED(char, all);
  all[threadIdx.x * 512 + 511] = 1;
  if (threadIdx.x == 0) out[blockIdx.x] = blockDim.x;
})"}}};

using CudaLaunch = OnGpu;

TEST_F(CudaLaunch, EveryKindOfScalarArrives) {
  Rig rig(library);
  const TensorId out = rig.tensor("out", shape(5), FH_F64);
  Argument e = f32(0);
  e.dtype = FH_F64;
  e.value.scalar.f64 = 0.1;
  rig.record().launch(
      scalars, Grid::blocks(1),
      {foxhunt::out(rig[out]), f32(1.5), i32(-7), u32(4000000000u), u64(uint64_t{1} << 40), e});
  rig.allocate();
  rig.prepare();
  rig.run();
  EXPECT_EQ(rig.download<double>(out), (std::vector<double>{1.5, -7, 4e9, 0x1p40, 0.1}));
}

TEST_F(CudaLaunch, EachElementOnceWhateverTheirNumber) {
  for (const int n : {1, 31, 257, 5000000}) {
    Rig rig(library);
    const TensorId out = rig.tensor("out", shape(n), FH_I32);
    rig.record().launch(index_all, Grid::elements(n), {inout(rig[out]), i32(n)});
    rig.allocate();
    rig.prepare();
    rig.run(2);
    const std::vector<int32_t> got = rig.download<int32_t>(out);
    for (int i = 0; i < n; ++i) ASSERT_EQ(got[static_cast<size_t>(i)], 2 * i) << n;
  }
}

TEST_F(CudaLaunch, SharedMemoryAbove48KB) {
  const int width = 20000, rows = 3;  // 80 000 bytes
  Rig rig(library);
  const TensorId in = rig.tensor("in", shape(rows, width)), out = rig.tensor("out", shape(rows, width));
  rig.record().launch(reverse_rows, Grid::blocks(rows), {foxhunt::in(rig[in]), foxhunt::out(rig[out])},
                      {constant("WIDTH", width)});
  rig.allocate();
  rig.prepare();
  const std::vector<float> values = random_values(rows * width, 3);
  rig.upload(in, values);
  rig.run();
  const std::vector<float> got = rig.download<float>(out);
  for (size_t r = 0; r < rows; ++r)
    for (size_t i = 0; i < width; ++i) ASSERT_EQ(got[r * width + i], values[r * width + width - 1 - i]);
}

TEST_F(CudaLaunch, MoreSharedMemoryThanThereIsNamesTheKernel) {
  const int width = 1000000;
  Rig rig(library);
  const TensorId in = rig.tensor("in", shape(width)), out = rig.tensor("out", shape(width));
  rig.record().launch(reverse_rows, Grid::blocks(1), {foxhunt::in(rig[in]), foxhunt::out(rig[out])},
                      {constant("WIDTH", width)});
  rig.allocate();
  const std::string text = error_of([&] { rig.prepare(); });
  EXPECT_NE(text.find("reverse_rows"), std::string::npos) << text;
  EXPECT_NE(text.find("4000000 bytes"), std::string::npos) << text;
}

TEST_F(CudaLaunch, BlockIsMadeSmallerWhereItsSharedMemoryIsTooMuch) {
  Rig rig(library);
  const TensorId out = rig.tensor("out", shape(2), FH_I32);
  rig.record().launch(block_size, Grid::blocks(2), {foxhunt::out(rig[out])});
  rig.allocate();
  rig.prepare();
  rig.run();
  const std::vector<int32_t> got = rig.download<int32_t>(out);
  EXPECT_EQ(got[0], got[1]);
  EXPECT_GE(got[0], 32);
  EXPECT_LT(got[0], 1024);
}

TEST_F(CudaLaunch, ErrorOfAPluginNamesItAndTheLine) {
  KernelLibrary broken{
      "plugin broken",
      {&index_all},
      {{"t/index_all.cu", "#include \"common/platform.cuh\"\nint f() { return nonsense(); }\n"}}};
  Rig rig(broken);
  const TensorId out = rig.tensor("out", shape(1), FH_I32);
  rig.record().launch(index_all, Grid::elements(1), {inout(rig[out]), i32(1)});
  rig.allocate();
  const std::string text = error_of([&] { rig.prepare(); });
  EXPECT_NE(text.find("plugin broken"), std::string::npos) << text;
  EXPECT_NE(text.find("t/index_all.cu(2)"), std::string::npos) << text;
}

TEST_F(CudaLaunch, SecondBackendTakesEverythingFromTheCache) {
  const TemporaryFolder folder;
  const Environment cache("FOXHUNT_CACHE_DIR", folder.path());
  for (const bool first : {true, false}) {
    Rig rig(library);
    const TensorId out = rig.tensor("out", shape(100), FH_I32);
    rig.record().launch(index_all, Grid::elements(100), {inout(rig[out]), i32(100)});
    rig.allocate();
    rig.prepare();
    rig.prepare();  // the same unit again: loaded already
    EXPECT_EQ(rig.compute().report().compiled, first ? 1u : 0u);
    EXPECT_EQ(rig.compute().report().cached, first ? 0u : 1u);
    EXPECT_GT(rig.compute().report().milliseconds, 0);
  }
}

}  // namespace
}  // namespace foxhunt::compute::cuda::test
