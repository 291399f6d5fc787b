// Initial values by initialiser.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "agent/parameters.hpp"
#include "rig.hpp"

namespace foxhunt::agent::test {
namespace {

std::vector<float> values(fh_shape s, fh_init init, double value, uint64_t seed = 1, const char* name = "/head/online/w") {
  fh_declared d{};
  d.name = "w";
  d.shape = s;
  d.dtype = FH_F32;
  d.init = init;
  d.value = value;
  return initial_values(d, seed, name);
}

struct Spread {
  double mean = 0, deviation = 0, largest = 0;
};
Spread spread_of(const std::vector<float>& v) {
  Spread s;
  const auto n = static_cast<double>(v.size());
  for (const float x : v) s.mean += x / n, s.largest = std::max(s.largest, std::abs(static_cast<double>(x)));
  for (const float x : v) s.deviation += (x - s.mean) * (x - s.mean) / n;
  s.deviation = std::sqrt(s.deviation);
  return s;
}

class Orthogonal : public testing::TestWithParam<std::pair<int64_t, int64_t>> {};

TEST_P(Orthogonal, RowsOrColumnsWhicheverAreFewer) {
  const auto [rows, columns] = GetParam();
  const double gain = 1.5;
  const std::vector<float> w = values(shape(rows, columns), FH_INIT_ORTHOGONAL, gain);
  const bool wide = rows <= columns;
  const int64_t count = wide ? rows : columns, length = wide ? columns : rows;
  const auto at = [&](int64_t k, int64_t i) {
    return static_cast<double>(w[static_cast<size_t>(wide ? k * columns + i : i * columns + k)]);
  };
  for (int64_t a = 0; a < count; ++a)
    for (int64_t b = 0; b <= a; ++b) {
      double dot = 0;
      for (int64_t i = 0; i < length; ++i) dot += at(a, i) * at(b, i);
      ASSERT_NEAR(dot, a == b ? gain * gain : 0, 2e-6) << a << " . " << b;
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Orthogonal,
                         testing::Values(std::pair{int64_t{128}, int64_t{128}}, std::pair{int64_t{48}, int64_t{128}}, std::pair{int64_t{128}, int64_t{9}},
                                         std::pair{int64_t{128}, int64_t{1}}, std::pair{int64_t{1}, int64_t{7}}, std::pair{int64_t{1}, int64_t{1}}));

TEST(Initialise, GlorotGoesByTheFirstAndTheLastDimension) {
  const double a = 2 * std::sqrt(6.0 / (300 + 20));
  for (const fh_shape& s : {shape(300, 20), shape(300, 5, 20)}) {
    const Spread v = spread_of(values(s, FH_INIT_GLOROT_UNIFORM, 2));
    EXPECT_LE(v.largest, a);
    EXPECT_GT(v.largest, 0.99 * a);
    EXPECT_NEAR(v.mean, 0, 0.02 * a);
    EXPECT_NEAR(v.deviation, a / std::sqrt(3.0), 0.02 * a);
  }
}

TEST(Initialise, UniformAndNormal) {
  const Spread u = spread_of(values(shape(20000), FH_INIT_UNIFORM, 0.3));
  EXPECT_LE(u.largest, 0.3);
  EXPECT_NEAR(u.deviation, 0.3 / std::sqrt(3.0), 0.003);
  const std::vector<float> n = values(shape(20000), FH_INIT_NORMAL, 0.5);
  EXPECT_NEAR(spread_of(n).mean, 0, 0.015);
  EXPECT_NEAR(spread_of(n).deviation, 0.5, 0.01);
  const auto beyond = std::count_if(n.begin(), n.end(), [](float x) { return std::abs(x) > 1; });
  EXPECT_NEAR(static_cast<double>(beyond) / 20000, 0.0455, 0.006) << "outside two deviations";
}

TEST(Initialise, Constant) { EXPECT_EQ(values(shape(3), FH_INIT_CONSTANT, -2.5), (std::vector<float>{-2.5f, -2.5f, -2.5f})); }

TEST(Initialise, DependsOnSeedAndNameAlone) {
  const auto first = values(shape(8, 8), FH_INIT_NORMAL, 1, 1, "/a/online/w");
  EXPECT_EQ(first, values(shape(8, 8), FH_INIT_NORMAL, 1, 1, "/a/online/w"));
  EXPECT_NE(first, values(shape(8, 8), FH_INIT_NORMAL, 1, 2, "/a/online/w"));
  EXPECT_NE(first, values(shape(8, 8), FH_INIT_NORMAL, 1, 1, "/b/online/w"));
}

TEST(Initialise, AnUnknownInitialiserIsRefusedByName) {
  const std::string e = error_of([] { values(shape(2), static_cast<fh_init>(17), 1); });
  EXPECT_NE(e.find("/head/online/w"), std::string::npos) << e;
  EXPECT_NE(e.find("17"), std::string::npos) << e;
}

}  // namespace
}  // namespace foxhunt::agent::test
