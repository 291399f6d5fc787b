#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "support.hpp"

namespace foxhunt::compute::test {
namespace {

std::vector<float> ramp(size_t n) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i % 97) * 0.25f - 3;
  return v;
}

TEST(Cpu, ElementwiseKernelOverManyBlocks) {
  for (const int n : {1, 7, 2048, 2049, 100003})
    for (const int threads : {1, 3}) {
      Rig rig;
      const TensorId x = rig.add("x", shape(n + 1)), y = rig.add("y", shape(n + 1));
      Recording recording = rig.record();
      recording.recorder().launch(test_axpy, Grid::elements(n),
                                  {in(recording.read(x)), inout(recording.write(y)), f32(2), i32(n)});
      rig.prepare(threads);
      rig.put(x, ramp(static_cast<size_t>(n) + 1));
      for (int run = 1; run <= 3; ++run) rig.executable->submit();
      const std::vector<float> got = rig.get(y), from = ramp(static_cast<size_t>(n) + 1);
      for (int i = 0; i < n; ++i)
        ASSERT_EQ(got[static_cast<size_t>(i)], 6 * from[static_cast<size_t>(i)]) << i;
      EXPECT_EQ(got.back(), 0) << "memory is zeroed and the element behind is not touched";
      EXPECT_EQ(rig.compute->submitted(), 3u);
    }
}

struct Rows : Rig {
  static constexpr int64_t rows = 300, width = 37;
  TensorId x = add("x", shape(rows, width)), out = add("out", shape(rows)),
           flag = add("flag", shape(rows), FH_I32);
  Rows() {
    Recording recording = record();
    recording.recorder().launch(
        test_row_sum, Grid::blocks(rows),
        {in(recording.read(x)), foxhunt::out(recording.write(out)), foxhunt::out(recording.write(flag))},
        {real_constant("FACTOR", 0.5), constant("WIDTH", width)});
  }
};

TEST(Cpu, BlocksHaveConstantsAndPoisonedSharedMemory) {
  Rows rig;
  rig.prepare(3);
  const std::vector<float> x = ramp(rig.rows * rig.width);
  rig.put(rig.x, x);
  rig.executable->submit();
  rig.executable->submit();
  const std::vector<float> got = rig.get(rig.out);
  const std::vector<int32_t> poisoned = rig.get<int32_t>(rig.flag);
  for (size_t i = 0; i < rig.rows; ++i) {
    float sum = 0;
    for (size_t j = 0; j < rig.width; ++j) sum += 0.5f * x[i * rig.width + j];
    ASSERT_EQ(got[i], sum) << i;
    ASSERT_EQ(poisoned[i], 1) << "block " << i << " saw what an earlier one had left";
  }
}

TEST(Cpu, Real64HoldsDoubles) {
  Rows rig;
  rig.prepare(2, Profile::real64);
  std::vector<double> x(rig.rows * rig.width);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 1 + 1e-12 * static_cast<double>(i);
  rig.compute->upload(rig.x, x.data(), x.size() * sizeof(double));
  rig.executable->submit();
  const std::vector<double> got = rig.get<double>(rig.out);
  for (size_t i = 0; i < rig.rows; ++i) {
    double sum = 0;
    for (size_t j = 0; j < rig.width; ++j) sum += 0.5 * x[i * rig.width + j];
    ASSERT_EQ(got[i], sum);
  }
}

TEST(Cpu, ScalarsOfEveryType) {
  for (const Profile profile : {Profile::fast, Profile::real64}) {
    Rig rig;
    const TensorId out = rig.add("out", shape(7), FH_F64);
    Recording recording = rig.record();
    Argument byte, wide, real;
    byte.value.scalar.u8 = 200, byte.dtype = FH_U8;
    wide.value.scalar.i64 = -(int64_t{1} << 50), wide.dtype = FH_I64;
    real.value.scalar.f64 = 0.1, real.dtype = FH_F64;
    recording.recorder().launch(test_scalars, Grid::blocks(1),
                                {f32(0.25), i32(-5), u32(4000000000u), byte, real, wide,
                                 u64(uint64_t{1} << 52), foxhunt::out(recording.write(out))});
    rig.prepare(1, profile);
    rig.executable->submit();
    EXPECT_EQ(rig.get<double>(out), (std::vector<double>{0.25, -5, 4000000000.0, 200, 0.1, -0x1p50, 0x1p52}));
  }
}

TEST(Cpu, FillsCopiesViewsAndWindows) {
  Rig rig;
  const int64_t n = 200001;
  const TensorId group = rig.add("group", shape(n)), copy = rig.add("copy", shape(n));
  const TensorId bytes = rig.add("bytes", shape(n), FH_U8), wide = rig.add("wide", shape(3), FH_I64);
  TensorSpec spec;
  spec.name = "window";
  spec.shape = shape(10);
  spec.parent = group;
  spec.parent_offset = 100;
  const TensorId window = rig.tensors.add(spec);
  Recording recording = rig.record();
  Recorder r = recording.recorder();
  r.fill(recording.write(group), 1.5);
  r.fill(r.view(recording.write(window), 2, shape(3)), -2);
  r.copy(recording.write(copy), recording.read(group));
  r.fill(recording.write(bytes), 7);
  r.fill(recording.write(wide), -9);
  rig.prepare(3);
  rig.executable->submit();
  std::vector<float> expected(n, 1.5f);
  for (size_t i = 102; i < 105; ++i) expected[i] = -2;
  EXPECT_EQ(rig.get(group), expected);
  EXPECT_EQ(rig.get(copy), expected);
  EXPECT_EQ(rig.get(window), std::vector<float>(expected.begin() + 100, expected.begin() + 110));
  EXPECT_EQ(rig.get<uint8_t>(bytes), std::vector<uint8_t>(n, 7));
  EXPECT_EQ(rig.get<int64_t>(wide), std::vector<int64_t>(3, -9));
  const float five = 5;
  rig.compute->upload(window, &five, 4, 4);
  EXPECT_EQ(rig.get(group)[101], 5);
}

TEST(Cpu, ProductsWithBias) {
  Rig rig;
  const TensorId a = rig.add("a", shape(2, 3)), b = rig.add("b", shape(4, 3)), c = rig.add("c", shape(2, 4));
  const TensorId bias = rig.add("bias", shape(4));
  Recording recording = rig.record();
  Gemm g;
  g.transpose_b = true;
  g.bias = recording.read(bias);
  recording.recorder().gemm(recording.write(c), recording.read(a), recording.read(b), g);
  rig.prepare();
  rig.put(a, {1, 2, 3, 4, 5, 6});
  rig.put(b, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1});
  rig.put(bias, {10, 20, 30, 40});
  rig.executable->submit();
  EXPECT_EQ(rig.get(c), (std::vector<float>{11, 22, 33, 46, 14, 25, 36, 55}));
}

TEST(Cpu, MirrorsFollowSubmittedPrograms) {
  Rig rig;
  const TensorId x = rig.add("x", shape(2));
  Recording recording = rig.record();
  recording.recorder().fill(recording.write(x), 3);
  Options options;
  options.device = "cpu";
  const std::unique_ptr<Compute> compute = open(options);
  EXPECT_NE(error_of([&] { compute->mirror(x); }).find("allocate() comes first"), std::string::npos);
  compute->allocate(rig.tensors);
  EXPECT_NE(error_of([&] { compute->allocate(rig.tensors); }).find("called once"), std::string::npos);
  const auto* mirror = static_cast<const float*>(compute->mirror(x));
  EXPECT_EQ(mirror, compute->mirror(x));
  const auto executable = compute->prepare(rig.program);
  EXPECT_EQ(mirror[1], 0);
  executable->submit();
  compute->wait_all();
  EXPECT_EQ(mirror[1], 3);
  const float other[2] = {8, 8};
  compute->upload(x, other, 8);
  EXPECT_EQ(mirror[1], 3) << "only programs change a mirror";
}

TEST(Cpu, TransfersStayInside) {
  Rows rig;
  rig.prepare(1);
  float values[2] = {};
  const auto size = static_cast<size_t>(rig.rows) * 4;
  EXPECT_NE(error_of([&] { rig.compute->upload(rig.out, values, 8, size - 4); }).find("tensor 'out'"),
            std::string::npos);
  EXPECT_NE(error_of([&] { rig.compute->download(rig.out, values, SIZE_MAX, 8); }).find("reach beyond"),
            std::string::npos);
  EXPECT_NE(error_of([&] { rig.compute->download(99, values, 8); }).find("no tensor number 99"),
            std::string::npos);
}

TEST(Cpu, ARunAllocatesNothing) {
  Rows rig;
  Recording recording = rig.record();
  Recorder r = recording.recorder();
  const fh_tensor square = r.scratch("square", shape(rig.width, rig.width));
  Gemm g;
  g.transpose_a = true;
  r.gemm(square, recording.read(rig.x), recording.read(rig.x), g);
  const fh_tensor copy = r.scratch("copy", shape(rig.rows, rig.width));
  r.copy(copy, recording.read(rig.x));
  r.fill(copy, 1);
  r.launch(test_axpy, Grid::elements(rig.rows),
           {in(recording.read(rig.out)), inout(r.scratch("y", shape(rig.rows))), f32(1), i32(rig.rows)});
  rig.prepare(3);
  rig.compute->mirror(rig.out);
  rig.put(rig.x, ramp(rig.rows * rig.width));
  rig.executable->submit();
  const int64_t before = allocations();
  EXPECT_GT(before, 0) << "the counter does not count";
  for (int i = 0; i < 20; ++i) rig.executable->submit();
  EXPECT_EQ(allocations(), before);
}

TEST(Cpu, TheBitsDoNotDependOnTheThreads) {
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 3, 5}) {
    Rows rig;
    rig.prepare(threads);
    rig.put(rig.x, ramp(rig.rows * rig.width));
    for (int i = 0; i < 5; ++i) rig.executable->submit();
    results.push_back(rig.get(rig.out));
    EXPECT_EQ(results.front(), results.back());
  }
}

}  // namespace
}  // namespace foxhunt::compute::test
