// The planted market whose signal is hidden in noise.
#include <gtest/gtest.h>

#include <cmath>

#include "known_answers/hidden.hpp"

namespace foxhunt::known_answers::test {
namespace {

PlantedGame hidden() {
  GameSettings s;
  s.model.hidden = true;
  return make_game(s);
}

TEST(Hidden, NoiseIsAProbabilityForEveryAlpha) {
  const PlantedGame g = hidden();
  const Noise noise = make_noise(g);
  EXPECT_DOUBLE_EQ(noise.deviation, 0.9);
  const size_t bins = noise.shown.size();
  for (size_t i = 0; i < g.alphas(); ++i) {
    double sum = 0, mean = 0;
    for (size_t x = 0; x < bins; ++x) {
      sum += noise.likelihood[i * bins + x];
      mean += noise.likelihood[i * bins + x] * noise.shown[x];
    }
    ASSERT_NEAR(sum, 1, 1e-12);
    ASSERT_NEAR(mean, g.chain.alpha[i], 1e-3);
  }
}

TEST(Hidden, AMemoryIsWorthMoreThanNoneAndSeeingAlphaMoreThanBoth) {
  const PlantedGame g = hidden();
  const Noise noise = make_noise(g);
  const Memoryless none = best_memoryless(g, noise);
  const BeliefOptimum belief = belief_optimum(g, noise, false, 400'000), moves = belief_optimum(g, noise, true, 400'000);
  EXPECT_NEAR(long_run(g, effective(g, noise, none.actions)).ticks, none.ticks, 1e-12);
  EXPECT_GT(none.ticks, 0.25);
  EXPECT_GT(belief.ticks, none.ticks + 3 * belief.error);
  EXPECT_GT(moves.ticks, belief.ticks);
  EXPECT_LT(moves.ticks, mean_optimum(g).ticks);
  EXPECT_NEAR(belief.ticks, 0.43, 0.02);
}

}  // namespace
}  // namespace foxhunt::known_answers::test
