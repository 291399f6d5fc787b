// A V that is not the policy's own, such as one cut to an envelope (the record's rung 2.0) or the mean of the optimal values
// (3.2), biases the policy gradient through the bootstrap, and only through it: exactly, since every trajectory of a small MDP
// is in the batch, weighted by its probability.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kernels/agent.hpp"
#include "rig.hpp"

namespace foxhunt::agent::test {
namespace {

constexpr int T = 4, kStates = 2, kActions = 2, kTrajectories = 16;
constexpr double kGamma = static_cast<double>(0.9f);
using Gradient = std::array<double, T * kStates * kActions>;

double policy(int s, int a) { return s == 0 ? (a == 0 ? 0.3 : 0.7) : (a == 0 ? 0.8 : 0.2); }
double reward(int s, int a) { return s == 0 ? (a == 0 ? 1 : -0.5) : (a == 0 ? 0.25 : 2); }
int next(int s, int a) { return (s + a) % kStates; }
size_t at(int t, int s, int a) { return static_cast<size_t>((t * kStates + s) * kActions + a); }

using Values = std::array<std::array<double, kStates>, T + 1>;

/// V[t][s] under the policy; 0 when the episode has ended after T steps.
Values values() {
  Values v{};
  for (int t = T - 1; t >= 0; --t)
    for (int s = 0; s < kStates; ++s)
      for (int a = 0; a < kActions; ++a)
        v[static_cast<size_t>(t)][static_cast<size_t>(s)] +=
            policy(s, a) * (reward(s, a) + kGamma * v[static_cast<size_t>(t + 1)][static_cast<size_t>(next(s, a))]);
  return v;
}

/// mean_a Q*(t, s, a): what V_IQN converges to.
Values mean_of_optimal() {
  Values best{}, mean{};
  for (int t = T - 1; t >= 0; --t)
    for (int s = 0; s < kStates; ++s) {
      const auto k = static_cast<size_t>(t), i = static_cast<size_t>(s);
      std::array<double, kActions> q{};
      for (int a = 0; a < kActions; ++a) q[static_cast<size_t>(a)] = reward(s, a) + kGamma * best[k + 1][static_cast<size_t>(next(s, a))];
      best[k][i] = std::max(q[0], q[1]);
      mean[k][i] = (q[0] + q[1]) / 2;
    }
  return mean;
}

/// d J / d logits(t, s, a), J discounted from step t on, as GAE over all trajectories from state 0 gives it with the values v,
/// cut to [low, high].
Gradient estimated(double lambda, double low, double high, const Values& exact = values()) {
  Rig rig(compute::Profile::real64);
  const auto v = rig.add("v", shape(T + 1, kTrajectories)), cut = rig.add("cut", shape(T + 1, kTrajectories)),
             r = rig.add("r", shape(T, kTrajectories)), advantage = rig.add("advantage", shape(T, kTrajectories)),
             target = rig.add("target", shape(T, kTrajectories)), done = rig.add("done", shape(T, kTrajectories), FH_U8),
             valid = rig.add("valid", shape(T, kTrajectories), FH_U8);
  rig.record([&](compute::Recording& m) {
    const int64_t n = (T + 1) * kTrajectories;
    m.recorder().launch(kernels::cut_value, Grid::elements(n), {in(m.read(v)), out(m.write(cut)), f32(low), f32(high), i32(n)});
    m.recorder().launch(kernels::gae, Grid::elements(kTrajectories),
                        {in(m.read(r)), in(m.read(cut)), in(m.read(done)), in(m.read(valid)), out(m.write(advantage)), out(m.write(target)),
                         f32(kGamma), f32(lambda), i32(T), i32(kTrajectories)});
  });
  std::vector<double> value((T + 1) * kTrajectories, 0), rewards(T * kTrajectories), ends(T * kTrajectories, 0), all(T * kTrajectories, 1);
  std::array<double, kTrajectories> probability{};
  std::array<std::array<int, T>, kTrajectories> states{}, actions{};
  for (size_t k = 0; k < kTrajectories; ++k) {
    int s = 0;
    probability[k] = 1;
    for (size_t t = 0; t < T; ++t) {
      const int a = static_cast<int>(k >> t & 1);
      states[k][t] = s;
      actions[k][t] = a;
      probability[k] *= policy(s, a);
      value[t * kTrajectories + k] = exact[t][static_cast<size_t>(s)];
      rewards[t * kTrajectories + k] = reward(s, a);
      ends[t * kTrajectories + k] = t == T - 1 ? 1 : 0;
      s = next(s, a);
    }
  }
  rig.set(v, value);
  rig.set(r, rewards);
  rig.set(done, ends);
  rig.set(valid, all);
  rig.run();
  const auto advantages = rig.get(advantage);
  Gradient g{};
  for (size_t k = 0; k < kTrajectories; ++k)
    for (int t = 0; t < T; ++t)
      for (int a = 0; a < kActions; ++a) {
        const int s = states[k][static_cast<size_t>(t)];
        g[at(t, s, a)] += probability[k] * ((actions[k][static_cast<size_t>(t)] == a ? 1 : 0) - policy(s, a)) *
                          advantages[static_cast<size_t>(t) * kTrajectories + k];
      }
  return g;
}

/// The same from the solved MDP: P(s_t = s) pi(a|s) (Q(t, s, a) - V(t, s)).
Gradient exact() {
  const auto v = values();
  std::array<double, kStates> visits{1, 0};
  Gradient g{};
  for (int t = 0; t < T; ++t) {
    std::array<double, kStates> after{};
    for (int s = 0; s < kStates; ++s)
      for (int a = 0; a < kActions; ++a) {
        const auto i = static_cast<size_t>(s), n = static_cast<size_t>(next(s, a)), k = static_cast<size_t>(t);
        g[at(t, s, a)] = visits[i] * policy(s, a) * (reward(s, a) + kGamma * v[k + 1][n] - v[k][i]);
        after[n] += visits[i] * policy(s, a);
      }
    visits = after;
  }
  return g;
}

double largest_difference(const Gradient& a, const Gradient& b) {
  double d = 0;
  for (size_t i = 0; i < a.size(); ++i) d = std::max(d, std::abs(a[i] - b[i]));
  return d;
}

TEST(ValueCut, WithoutBootstrapACutValueBiasesNothing) {
  EXPECT_LT(largest_difference(estimated(1, -0.1, 0.1), exact()), 1e-12);
  EXPECT_LT(largest_difference(estimated(1, -100, 100), exact()), 1e-12);
}

TEST(ValueCut, BelowLambdaOneTheBiasIsThatOfTheBootstrap) {
  double before = 0;
  for (const double lambda : {0.95, 0.5, 0.0}) {
    EXPECT_LT(largest_difference(estimated(lambda, -100, 100), exact()), 1e-12) << "an exact V has no bias at lambda " << lambda;
    const double bias = largest_difference(estimated(lambda, -0.1, 0.1), exact());
    EXPECT_GT(bias, before) << lambda;
    before = bias;
  }
  EXPECT_GT(before, 0.05);
}

TEST(MeanOfOptimalValues, IsABiasedCriticBelowLambdaOne) {
  const Values v = mean_of_optimal();
  EXPECT_GT(std::abs(v[0][0] - values()[0][0]), 0.1) << "not the policy's value";
  EXPECT_LT(largest_difference(estimated(1, -100, 100, v), exact()), 1e-12);
  double before = 0;
  for (const double lambda : {0.95, 0.5, 0.0}) {
    const double bias = largest_difference(estimated(lambda, -100, 100, v), exact());
    EXPECT_GT(bias, before) << lambda;
    before = bias;
  }
}

}  // namespace
}  // namespace foxhunt::agent::test
