#include "rig.hpp"

namespace foxhunt::compute::cuda::test {
namespace {

const KernelLibrary no_kernels{"test", {}, {}};
using CudaMemory = OnGpu;

TEST_F(CudaMemory, TensorsBeginAsZeros) {
  Rig rig(no_kernels);
  const TensorId a = rig.tensor("a", shape(1000)), b = rig.tensor("b", shape(3, 5), FH_F64);
  rig.allocate();
  EXPECT_EQ(rig.download<float>(a), std::vector<float>(1000));
  EXPECT_EQ(rig.download<double>(b), std::vector<double>(15));
}

TEST_F(CudaMemory, WindowsAndNeighbours) {
  Rig rig(no_kernels);
  const TensorId a = rig.tensor("a", shape(10), FH_U8), b = rig.tensor("b", shape(10), FH_U8);
  const TensorId empty = rig.tensor("empty", shape(0));
  rig.allocate();
  const std::vector<uint8_t> three{7, 8, 9};
  rig.compute().upload(a, three.data(), 3, 7);
  EXPECT_EQ(rig.download<uint8_t>(a), (std::vector<uint8_t>{0, 0, 0, 0, 0, 0, 0, 7, 8, 9}));
  EXPECT_EQ(rig.download<uint8_t>(b), std::vector<uint8_t>(10));
  uint8_t one = 0;
  rig.compute().download(a, &one, 1, 8);
  EXPECT_EQ(one, 8);
  rig.compute().upload(empty, nullptr, 0);
}

TEST_F(CudaMemory, BeyondTheEndIsRefused) {
  Rig rig(no_kernels);
  const TensorId a = rig.tensor("a", shape(10));
  rig.allocate();
  std::vector<char> bytes(64);
  for (const auto& [size, offset] :
       {std::pair<size_t, size_t>{41, 0}, {4, 37}, {1, SIZE_MAX}, {SIZE_MAX, 1}}) {
    const std::string text = error_of([&] { rig.compute().upload(a, bytes.data(), size, offset); });
    EXPECT_NE(text.find("'a'"), std::string::npos) << text;
    error_of([&] { rig.compute().download(a, bytes.data(), size, offset); });
  }
}

TEST_F(CudaMemory, UseBeforeAllocateIsRefused) {
  Rig rig(no_kernels);
  const TensorId a = rig.tensor("a", shape(1));
  float x = 0;
  EXPECT_NE(error_of([&] { rig.compute().upload(a, &x, 4); }).find("allocate"), std::string::npos);
  EXPECT_NE(error_of([&] { rig.prepare(); }).find("allocate"), std::string::npos);
  rig.allocate();
  EXPECT_NE(error_of([&] { rig.allocate(); }).find("second"), std::string::npos);
}

TEST_F(CudaMemory, MoreThanTheDeviceHasSaysHowMuch) {
  Rig rig(no_kernels);
  rig.tensor("huge", shape(int64_t{1} << 46));
  const std::string text = error_of([&] { rig.allocate(); });
  EXPECT_NE(text.find("281474976710656 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("cudaMalloc"), std::string::npos) << text;
}

TEST_F(CudaMemory, FillsOfEveryType) {
  Rig rig(no_kernels);
  const auto vector = [&](const char* name, fh_dtype dtype) { return rig.tensor(name, shape(1001), dtype); };
  const TensorId f = vector("f", FH_F32), d = vector("d", FH_F64), i = vector("i", FH_I32),
                 u = vector("u", FH_U8);
  const TensorId l = vector("l", FH_I64), z = vector("z", FH_F32);
  Recorder record = rig.record();
  record.fill(rig[f], 1.25);
  record.fill(rig[d], -0.1);
  record.fill(rig[i], -3);
  record.fill(rig[u], 200);
  record.fill(rig[l], -5e15);
  record.fill(record.view(rig[z], 1, shape(1000)), 0);
  rig.allocate();
  rig.prepare();
  rig.upload(z, std::vector<float>(1001, 4));
  rig.run();
  EXPECT_EQ(rig.download<float>(f), std::vector<float>(1001, 1.25f));
  EXPECT_EQ(rig.download<double>(d), std::vector<double>(1001, -0.1));
  EXPECT_EQ(rig.download<int32_t>(i), std::vector<int32_t>(1001, -3));
  EXPECT_EQ(rig.download<uint8_t>(u), std::vector<uint8_t>(1001, 200));
  EXPECT_EQ(rig.download<int64_t>(l), std::vector<int64_t>(1001, -5000000000000000));
  std::vector<float> expected(1001);
  expected[0] = 4;
  EXPECT_EQ(rig.download<float>(z), expected);
}

TEST_F(CudaMemory, CopiesOfWindows) {
  Rig rig(no_kernels);
  const TensorId a = rig.tensor("a", shape(10)), b = rig.tensor("b", shape(10));
  Recorder record = rig.record();
  record.copy(record.view(rig[b], 3, shape(4)), record.view(rig[a], 6, shape(4)));
  rig.allocate();
  rig.prepare();
  rig.upload(a, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  rig.run();
  EXPECT_EQ(rig.download<float>(b), (std::vector<float>{0, 0, 0, 6, 7, 8, 9, 0, 0, 0}));
}

}  // namespace
}  // namespace foxhunt::compute::cuda::test
