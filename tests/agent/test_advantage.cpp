// Generalised advantage estimation: what belongs to which transition.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/agent.hpp"
#include "rig.hpp"

namespace foxhunt::agent::test {
namespace {

struct Estimate {
  std::vector<double> advantage, target, moments;
};

// All [horizon, accounts] but value [horizon + 1, accounts].
Estimate gae(int64_t horizon, int64_t accounts, const std::vector<double>& reward, const std::vector<double>& value,
             const std::vector<double>& done, const std::vector<double>& valid, double gamma, double lambda) {
  Rig rig(compute::Profile::real64);
  const fh_shape s = shape(horizon, accounts);
  const auto r = rig.add("reward", s), v = rig.add("value", shape(horizon + 1, accounts)), d = rig.add("done", s, FH_U8),
             ok = rig.add("valid", s, FH_U8), a = rig.add("advantage", s), t = rig.add("target", s), m = rig.add("moments", shape(3), FH_F64);
  rig.record([&](compute::Recording& rec) {
    rec.recorder().launch(kernels::gae, Grid::elements(accounts),
                          {in(rec.read(r)), in(rec.read(v)), in(rec.read(d)), in(rec.read(ok)), out(rec.write(a)), out(rec.write(t)),
                           f32(gamma), f32(lambda), i32(horizon), i32(accounts)});
    rec.recorder().launch(kernels::masked_moments, Grid::blocks(1), {in(rec.read(a)), in(rec.read(ok)), out(rec.write(m)), i32(horizon * accounts)});
  });
  rig.set(r, reward);
  rig.set(v, value);
  rig.set(d, done);
  rig.set(ok, valid);
  rig.run();
  return {rig.get(a), rig.get(t), rig.get(m)};
}

TEST(Gae, TheFlagBelongsToTheTransitionThatItEnds) {
  // One account, gamma 0.5, lambda 0.5; terminated by the second transition.
  const Estimate e = gae(3, 1, {1, 2, 4}, {10, 20, 40, 80}, {0, 1, 0}, {1, 1, 1}, 0.5, 0.5);
  EXPECT_EQ(e.advantage[2], 4 + 0.5 * 80 - 40);
  EXPECT_EQ(e.advantage[1], 2 - 20) << "nothing follows termination: neither a value nor the next episode's advantage";
  EXPECT_EQ(e.advantage[0], 1 + 0.5 * 20 - 10 + 0.25 * (2 - 20));
  const std::vector<double> value{10, 20, 40};
  for (size_t t = 0; t < 3; ++t) EXPECT_EQ(e.target[t], e.advantage[t] + value[t]);
}

TEST(Gae, TruncationBootstrapsFromTheTrueLastStateAndStopsTheRecursion) {
  // 40 is V of the last state of the episode, seen on the step that closes it; 80 is V of the next one's first.
  const Estimate e = gae(4, 1, {1, 2, 100, 4}, {10, 20, 40, 80, 160}, {0, 2, 0, 0}, {1, 1, 0, 1}, 0.5, 0.5);
  EXPECT_EQ(e.advantage[3], 4 + 0.5 * 160 - 80);
  EXPECT_EQ(e.advantage[2], 0) << "the closing step teaches nothing";
  EXPECT_EQ(e.target[2], 40) << "and its value is not pulled anywhere";
  EXPECT_EQ(e.advantage[1], 2 + 0.5 * 40 - 20);
  EXPECT_EQ(e.advantage[0], 1 + 0.5 * 20 - 10 + 0.25 * e.advantage[1]);
}

TEST(Gae, TheRecursionStopsAtTruncationWhateverFollows) {
  const Estimate e = gae(2, 1, {1, 2}, {10, 20, 40}, {2, 0}, {1, 1}, 0.5, 0.5);
  EXPECT_EQ(e.advantage[0], 1 + 0.5 * 20 - 10);
}

TEST(Gae, LambdaOneIsTheReturnAndLambdaZeroOneStep) {
  const std::vector<double> reward{1, -2, 3}, value{0.5, 1.5, -1, 2}, go{0, 0, 0}, ok{1, 1, 1};
  const Estimate one = gae(3, 1, reward, value, go, ok, 0.5, 1), zero = gae(3, 1, reward, value, go, ok, 0.5, 0);
  EXPECT_DOUBLE_EQ(one.target[0], 1 - 0.5 * 2 + 0.25 * 3 + 0.125 * 2);
  EXPECT_DOUBLE_EQ(zero.target[0], 1 + 0.5 * 1.5);
}

TEST(Gae, IsTheSumOverDeltasOnRandomEpisodes) {
  constexpr int64_t T = 13, B = 40;
  const double gamma = 0.9375, lambda = 0.75;  // exact as floats
  std::mt19937_64 random(4);
  const auto reward = normal(T * B, 1), value = normal((T + 1) * B, 2);
  std::vector<double> done(T * B, 0), valid(T * B, 1);
  for (size_t i = 0; i < B; ++i)
    for (size_t t = 0; t < T; ++t) {
      // As accounts do it: after an end comes one step that only closes.
      if (t > 0 && done[(t - 1) * B + i] != 0) {
        valid[t * B + i] = 0;
        continue;
      }
      if (random() % 4 == 0) done[t * B + i] = 1 + static_cast<double>(random() % 2);
    }
  const Estimate e = gae(T, B, reward, value, done, valid, gamma, lambda);
  double count = 0, sum = 0, squares = 0;
  for (size_t i = 0; i < B; ++i)
    for (size_t t = 0; t < T; ++t) {
      double wanted = 0, weight = 1;
      if (valid[t * B + i])
        for (size_t k = t; k < T; ++k) {
          const size_t at = k * B + i;
          wanted += weight * (reward[at] + (done[at] == 1 ? 0 : gamma * value[at + B]) - value[at]);
          if (done[at] != 0) break;
          weight *= gamma * lambda;
        }
      ASSERT_NEAR(e.advantage[t * B + i], wanted, 1e-12) << "step " << t << " account " << i;
      if (valid[t * B + i]) count += 1, sum += wanted, squares += wanted * wanted;
    }
  EXPECT_EQ(e.moments[0], count);
  EXPECT_NEAR(e.moments[1], sum / count, 1e-12);
  EXPECT_NEAR(e.moments[2], std::sqrt(squares / count - sum / count * sum / count), 1e-10);
}

TEST(AdvantageMoments, ABatchOfOneOrWithoutSpreadHasDeviationZero) {
  EXPECT_EQ(gae(1, 1, {3}, {0, 0}, {1}, {1}, 1, 1).moments, (std::vector<double>{1, 3, 0}));
  EXPECT_EQ(gae(1, 3, {3, 3, 3}, std::vector<double>(6, 0), {1, 1, 1}, {1, 1, 1}, 1, 1).moments, (std::vector<double>{3, 3, 0}));
  EXPECT_EQ(gae(1, 2, {3, 5}, std::vector<double>(4, 0), {1, 1}, {0, 0}, 1, 1).moments, (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace foxhunt::agent::test
