#include <cmath>
#include <limits>

#include "compute/cuda/gemm.hpp"
#include "rig.hpp"

namespace foxhunt::compute::cuda::test {
namespace {

const KernelLibrary no_kernels{"test", {}, {}};

struct Case {
  int64_t m, n, k;
  bool transpose_a, transpose_b, bias;
  float alpha, beta;
  int64_t shift;  ///< elements by which the operands' windows are moved off their alignment
};

std::ostream& operator<<(std::ostream& os, const Case& c) {
  return os << "m " << c.m << " n " << c.n << " k " << c.k << " transposed " << c.transpose_a << c.transpose_b
            << " bias " << c.bias << " alpha " << c.alpha << " beta " << c.beta << " shift " << c.shift;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const int64_t shapes[][3] = {{1, 1, 1},      {1, 9, 64},     {64, 1, 33},    {7, 5, 3},
                               {16, 16, 16},   {32, 9, 1},     {33, 65, 17},   {128, 128, 128},
                               {1024, 48, 32}, {96, 32, 4096}, {257, 129, 513}};
  for (const auto& s : shapes)
    for (int t = 0; t < 4; ++t) {
      all.push_back({s[0], s[1], s[2], (t & 1) != 0, (t & 2) != 0, false, 1, 0, 0});
      all.push_back({s[0], s[1], s[2], (t & 1) != 0, (t & 2) != 0, true, 0.5f, t % 2 ? 1.0f : 0.25f, t});
    }
  for (const bool bias : {false, true}) {
    all.push_back({5, 6, 0, false, false, bias, 1, 0, 0});  // an empty sum
    all.push_back({5, 6, 0, true, false, bias, 1, 2, 1});
  }
  all.push_back({0, 6, 4, false, false, true, 1, 0, 0});
  all.push_back({5, 0, 4, false, true, false, 1, 0, 0});
  return all;
}

// All cases in one program, so that branches and workspaces are exercised, too.
void run_all(const Options& options, double unit_error) {
  Rig rig(no_kernels, options);
  struct Tensor {
    TensorId a, b, c, bias;
  };
  const std::vector<Case> all = cases();
  std::vector<Tensor> tensors;
  Recorder record = rig.record();
  for (size_t i = 0; i < all.size(); ++i) {
    const Case& c = all[i];
    const auto add = [&](const char* name, int64_t n) {
      return rig.tensor(name + std::to_string(i), shape(n + c.shift));
    };
    const Tensor t{add("a", c.m * c.k), add("b", c.k * c.n), add("c", c.m * c.n), add("bias", c.n)};
    tensors.push_back(t);
    const auto window = [&](TensorId id, int64_t rows, int64_t columns) {
      return record.view(rig[id], c.shift, shape(rows, columns));
    };
    Gemm g{c.transpose_a, c.transpose_b, c.alpha, c.beta};
    if (c.bias) g.bias = record.view(rig[t.bias], c.shift, shape(c.n));
    record.gemm(window(t.c, c.m, c.n), c.transpose_a ? window(t.a, c.k, c.m) : window(t.a, c.m, c.k),
                c.transpose_b ? window(t.b, c.n, c.k) : window(t.b, c.k, c.n), g);
  }
  rig.allocate();
  rig.prepare();
  std::vector<std::vector<float>> as, bs, cs, biases;
  for (size_t i = 0; i < all.size(); ++i) {
    const Case& c = all[i];
    const auto fill = [&](TensorId id, int64_t n, uint32_t salt) {
      std::vector<float> values =
          random_values(static_cast<size_t>(n + c.shift), static_cast<uint32_t>(8 * i) + salt);
      rig.upload(id, values);
      return values;
    };
    as.push_back(fill(tensors[i].a, c.m * c.k, 0));
    bs.push_back(fill(tensors[i].b, c.k * c.n, 1));
    biases.push_back(fill(tensors[i].bias, c.n, 2));
    cs.push_back(fill(tensors[i].c, c.m * c.n, 3));
    if (c.beta == 0) {  // then C is undefined before and must not be read
      std::fill(cs.back().begin() + c.shift, cs.back().end(), std::numeric_limits<float>::quiet_NaN());
      rig.upload(tensors[i].c, cs.back());
    }
  }
  rig.run();
  for (size_t i = 0; i < all.size(); ++i) {
    const Case& c = all[i];
    const std::vector<float> got = rig.download<float>(tensors[i].c);
    for (int64_t e = 0; e < c.shift; ++e)
      ASSERT_EQ(got[static_cast<size_t>(e)], cs[i][static_cast<size_t>(e)])
          << c << ": written before the window";
    for (int64_t row = 0; row < c.m; ++row)
      for (int64_t column = 0; column < c.n; ++column) {
        double sum = 0, magnitude = 0;
        for (int64_t p = 0; p < c.k; ++p) {
          const int64_t ia = c.transpose_a ? p * c.m + row : row * c.k + p;
          const int64_t ib = c.transpose_b ? column * c.k + p : p * c.n + column;
          const double product =
              double(as[i][static_cast<size_t>(ia + c.shift)]) * bs[i][static_cast<size_t>(ib + c.shift)];
          sum += product;
          magnitude += std::abs(product);
        }
        const auto at = static_cast<size_t>(row * c.n + column + c.shift);
        double expected = c.alpha * sum;
        double scale = c.alpha * magnitude;
        if (c.beta != 0) expected += double(c.beta) * cs[i][at], scale += std::abs(c.beta * cs[i][at]);
        if (c.bias) {
          const float bias = biases[i][static_cast<size_t>(column + c.shift)];
          expected += bias, scale += std::abs(bias);
        }
        // The relative error of a sum of random terms grows with the root of their number.
        const double allowed = unit_error * scale * (4 + std::sqrt(double(c.k)) / 4) + 1e-30;
        ASSERT_NEAR(got[at], expected, allowed) << c << " at " << row << ", " << column;
      }
  }
}

using CudaGemm = OnGpu;

TEST_F(CudaGemm, ParityProfileIsF32) { run_all(Rig::parity(), 0x1p-24); }
TEST_F(CudaGemm, FastProfileWithoutTf32IsF32) { run_all(Rig::fast(false), 0x1p-24); }
TEST_F(CudaGemm, Tf32) { run_all(Rig::fast(true), 0x1p-11); }

TEST_F(CudaGemm, Tf32IsReallyAnotherArithmetic) {
  const auto product = [](const Options& options) {
    Rig rig(no_kernels, options);
    const TensorId a = rig.tensor("a", shape(256, 256)), b = rig.tensor("b", shape(256, 256));
    const TensorId c = rig.tensor("c", shape(256, 256));
    rig.record().gemm(rig[c], rig[a], rig[b]);
    rig.allocate();
    rig.prepare();
    rig.upload(a, random_values(65536, 1));
    rig.upload(b, random_values(65536, 2));
    rig.run();
    return rig.download<float>(c);
  };
  EXPECT_NE(product(Rig::fast(true)), product(Rig::fast(false)));
  EXPECT_EQ(product(Rig::parity()), product(Rig::fast(false)));
}

TEST_F(CudaGemm, ChoiceIsKeptAndWorkspaceIsWithinTheLimit) {
  Gemms gemms(false);
  const GemmProblem problem{64, 32, 100000, true, false, false};
  const Gemms::Choice* first = gemms.choose(problem);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(gemms.choose(problem), first);
  EXPECT_LE(Gemms::workspace(*first), kGemmWorkspace);
  EXPECT_EQ(gemms.choose({0, 3, 3}), nullptr);
}

TEST(CudaGemmAlignment, IsTheLargestPowerOfTwo) {
  const auto of = [](uintptr_t address) { return alignment_of(reinterpret_cast<const void*>(address)); };
  EXPECT_EQ(of(0x1000), 256u);
  EXPECT_EQ(of(0x1004), 4u);
  EXPECT_EQ(of(0x1010), 16u);
  EXPECT_EQ(of(0x1080), 128u);
}

}  // namespace
}  // namespace foxhunt::compute::cuda::test
