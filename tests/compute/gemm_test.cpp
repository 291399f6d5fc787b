#include "compute/cpu/gemm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace foxhunt::compute::cpu {
namespace {

struct Case {
  int64_t m, n, k;
};

template <class T>
struct Problem {
  Problem(const Case& c, bool ta, bool tb, T alpha_, T beta_, bool biased)
      : shape(c), transpose_a(ta), transpose_b(tb), alpha(alpha_), beta(beta_) {
    std::mt19937 random(static_cast<unsigned>(c.m * 7919 + c.n * 131 + c.k));
    std::normal_distribution<T> normal;
    for (auto [v, n] :
         {std::pair{&a, c.m * c.k}, {&b, c.k * c.n}, {&c0, c.m * c.n}, {&bias, biased ? c.n : 0}}) {
      v->resize(static_cast<size_t>(n));
      for (T& x : *v) x = normal(random);
    }
    if (beta == 0)
      for (T& x : c0) x = std::numeric_limits<T>::quiet_NaN();  // must not be read
  }

  std::vector<T> run(int threads) const {
    Pool pool(threads);
    std::vector<T> c = c0;
    multiply(pool,
             Product<T>{a.data(), b.data(), c.data(), bias.empty() ? nullptr : bias.data(), shape.m, shape.n,
                        shape.k, transpose_a, transpose_b, alpha, beta},
             tiling(shape.m, shape.n, shape.k));
    return c;
  }

  // Against double precision: |error| <= 4 eps sqrt(k + 4) times the norm of what is summed.
  void check(const std::vector<T>& got) const {
    const double unit = 4 * std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<double>(shape.k + 4));
    for (int64_t i = 0; i < shape.m; ++i)
      for (int64_t j = 0; j < shape.n; ++j) {
        double sum = 0, squares = 0;
        for (int64_t l = 0; l < shape.k; ++l) {
          const double p =
              alpha *
              static_cast<double>(a[static_cast<size_t>(transpose_a ? l * shape.m + i : i * shape.k + l)]) *
              static_cast<double>(b[static_cast<size_t>(transpose_b ? j * shape.k + l : l * shape.n + j)]);
          sum += p;
          squares += p * p;
        }
        const auto at = static_cast<size_t>(i * shape.n + j);
        const double old = beta == 0 ? 0 : beta * static_cast<double>(c0[at]);
        const double add = bias.empty() ? 0 : static_cast<double>(bias[static_cast<size_t>(j)]);
        const double bound = unit * (std::sqrt(squares) + std::abs(old) + std::abs(add) + 1e-30);
        ASSERT_NEAR(static_cast<double>(got[at]), sum + old + add, bound) << i << "," << j;
      }
  }

  Case shape;
  bool transpose_a, transpose_b;
  T alpha, beta;
  std::vector<T> a, b, c0, bias;
};

const std::vector<Case> small = {{1, 1, 1},      {1, 7, 3},       {5, 1, 9},       {3, 4, 0},
                                 {17, 33, 65},   {64, 64, 64},    {2, 189, 128},   {129, 65, 31},
                                 {16, 128, 128}, {100, 100, 101}, {1, 1000, 1100}, {1100, 1, 1000}};
const std::vector<Case> large = {
    {512, 189, 128}, {128, 189, 700}, {131, 257, 129}, {300, 48, 300}, {65, 97, 513}};

template <class T>
void all_forms(const std::vector<Case>& cases) {
  prepare_blas();
  for (const Case& c : cases)
    for (int form = 0; form < 4; ++form)
      for (const auto& [alpha, beta, biased] :
           {std::tuple<T, T, bool>{1, 0, false}, {1, 0, true}, {T(0.5), T(-1.5), true}, {-1, 1, false}}) {
        SCOPED_TRACE(std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k) + " form " +
                     std::to_string(form) + " beta " + std::to_string(beta));
        const Problem<T> problem(c, form & 1, form & 2, alpha, beta, biased);
        const std::vector<T> one = problem.run(1);
        problem.check(one);
        if (::testing::Test::HasFatalFailure()) return;
        for (int threads : {2, 3}) {
          const std::vector<T> more = problem.run(threads);
          ASSERT_EQ(std::memcmp(one.data(), more.data(), one.size() * sizeof(T)), 0)
              << threads << " threads give other bits";
        }
      }
}

TEST(Gemm, FloatAgainstDouble) {
  SCOPED_TRACE(blas_name());
  all_forms<float>(small);
}
TEST(Gemm, TiledFloatAgainstDouble) { all_forms<float>(large); }
TEST(Gemm, Double) { all_forms<double>(small); }

TEST(Gemm, EmptyProductsTouchNothing) {
  for (const Case c : {Case{0, 5, 3}, Case{5, 0, 3}}) EXPECT_EQ(tiling(c.m, c.n, c.k).pieces(), 0);
}

TEST(Gemm, TilesCoverTheShapeAndFeedTwoCores) {
  for (const Case c :
       {Case{4096, 128, 128}, Case{4096, 189, 128}, Case{128, 189, 4096}, Case{128, 128, 4096}}) {
    const Tiling t = tiling(c.m, c.n, c.k);
    EXPECT_GE(t.pieces(), 4);
    EXPECT_EQ(t.pieces() % 2, 0) << c.m << " " << c.n << ": the last tile would leave a core idle";
    EXPECT_GE(t.down * t.rows, c.m);
    EXPECT_LT((t.down - 1) * t.rows, c.m);
    EXPECT_GE(t.across * t.columns, c.n);
    EXPECT_LT((t.across - 1) * t.columns, c.n);
  }
}

}  // namespace
}  // namespace foxhunt::compute::cpu
