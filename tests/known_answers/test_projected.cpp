// What a categorical head can learn at best.
#include <gtest/gtest.h>

#include <algorithm>

#include "known_answers/projected.hpp"

namespace foxhunt::known_answers::test {
namespace {

constexpr double kGamma = 0.95, kScale = 0.01;

TEST(Projected, ASupportThatHoldsAllReturnsKeepsTheMeans) {
  const PlantedGame g = make_game({});
  const Table exact = optimal_values(g, kGamma, kScale).q, projected = projected_values(g, {-3, 3, 21}, kGamma, kScale);
  for (size_t x = 0; x < exact.size(); ++x) ASSERT_NEAR(projected[x], exact[x], 1e-6);
}

TEST(Projected, APolicyOfOnesOwnIsHeldToo) {
  const PlantedGame g = make_game({});
  const Table uniform(g.cells() * kActions, 1.0 / kActions);
  const Table exact = values_of(g, uniform, kGamma, kScale).q, projected = projected_values(g, {-3, 3, 51}, kGamma, kScale, uniform);
  for (size_t x = 0; x < exact.size(); ++x) ASSERT_NEAR(projected[x], exact[x], 1e-6);
}

TEST(Projected, ReturnsBeyondTheSupportAreClipped) {
  const PlantedGame g = make_game({});
  const Table exact = optimal_values(g, kGamma, kScale).q, projected = projected_values(g, {-0.1, 0.05, 21}, kGamma, kScale);
  EXPECT_GT(*std::max_element(exact.begin(), exact.end()), 0.1);
  for (const double q : projected) {
    ASSERT_LE(q, 0.05 + 1e-12);
    ASSERT_GE(q, -0.1 - 1e-12);
  }
}

}  // namespace
}  // namespace foxhunt::known_answers::test
