// The known answers of the planted market: published figures, the generated book, Bellman's equations, and a simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <foxhunt/error.hpp>
#include <random>

#include "known_answers/naive_policies.hpp"
#include "market/planted.hpp"

namespace foxhunt::known_answers::test {
namespace {

PlantedGame game(uint32_t near_lots) {
  GameSettings s;
  s.model.near_lots = near_lots;
  return make_game(s);
}

double share(const PlantedGame& g, const std::string& name, double optimum) {
  for (const Named& n : naive_policies(g))
    if (n.name.find(name) != std::string::npos) return n.ticks / optimum;
  ADD_FAILURE() << "no policy named " << name;
  return 0;
}

TEST(Planted, FourLotsALevel) {
  const PlantedGame g = game(4);
  const double optimum = mean_optimum(g).ticks;
  EXPECT_NEAR(optimum, 0.7259, 0.00005);
  EXPECT_NEAR(share(g, "uniform", optimum), -2.08, 0.005);
  EXPECT_NEAR(share(g, "sign of alpha", optimum), 0.13, 0.005);
  EXPECT_NEAR(share(g, "else flat", optimum), 0.63, 0.005);
  EXPECT_NEAR(share(g, "else hold", optimum), 0.885, 0.0005);
  EXPECT_NEAR(share(g, "without depth", optimum), 0.87, 0.005);
}

TEST(Planted, TwoLotsALevel) {
  const PlantedGame g = game(2);
  const double optimum = mean_optimum(g).ticks;
  EXPECT_NEAR(optimum, 0.7085, 0.00005);
  EXPECT_NEAR(share(g, "sign of alpha", optimum), -0.97, 0.006);
  EXPECT_NEAR(share(g, "else flat", optimum), 0.12, 0.005);
  EXPECT_NEAR(share(g, "else hold", optimum), 0.709, 0.0005);
  EXPECT_NEAR(share(g, "without depth", optimum), 0.58, 0.005);
  EXPECT_NEAR(share(g, "+1 lots alone", optimum), 0.26, 0.005);
  EXPECT_NEAR(share(g, "+2 lots alone", optimum), 0.51, 0.005);
  EXPECT_NEAR(share(g, "+4 lots alone", optimum), 0.89, 0.005);
}

// Ticks lost against the mid by buying in this row, fees included: walked on the generated book itself.
double walked(const market::Market& m, int64_t row, int lots, double fee) {
  double cost = 0;
  const double mid = 0.5 * (m.best_bid(row) + m.best_ask(row));
  for (int64_t l = 0; lots > 0 && l < m.levels; ++l) {
    const auto i = static_cast<size_t>(row * m.levels + l);
    const int taken = static_cast<int>(std::min<uint32_t>(m.ask_sz[i], static_cast<uint32_t>(lots)));
    cost += taken * (m.ask_px[i] - mid + fee);
    lots -= taken;
  }
  EXPECT_EQ(lots, 0);
  return cost;
}

TEST(Planted, OrdersCostWhatTheGeneratedBookAsksFor) {
  for (const uint32_t depth : {1u, 2u, 3u, 4u, 8u, 100u}) {
    market::PlantedOptions o;
    o.rows = 50;
    o.model.near_lots = depth;
    const market::Market m = generate_planted(o);
    for (int lots = 0; lots <= 8; ++lots)
      for (int64_t r = 0; r < m.rows(); ++r) ASSERT_NEAR(order_cost({o.model}, lots), walked(m, r, lots, 0.05), 1e-9);
  }
}

TEST(Planted, PositionsAreThoseThatActionsLeadTo) {
  EXPECT_EQ(game(4).positions, (std::vector<int>{-4, -2, -1, 0, 1, 2, 4}));
  GameSettings s;
  s.half = 3;
  EXPECT_EQ(make_game(s).positions, (std::vector<int>{-4, -3, -2, -1, 0, 1, 2, 3, 4}));
}

TEST(Planted, SettingsWithoutAKnownAnswerAreRefused) {
  GameSettings s;
  s.full = 5;
  EXPECT_THROW(make_game(s), Error);
  s.full = 4;
  s.model.states = 513;
  EXPECT_THROW(make_game(s), Error);
}

Table any_policy(const PlantedGame& g, uint64_t seed) {
  std::mt19937_64 random(seed);
  Table policy(g.cells() * kActions);
  for (size_t c = 0; c < g.cells(); ++c) {
    double sum = 0;
    for (size_t a = 0; a < kActions; ++a) sum += policy[c * kActions + a] = static_cast<double>(random() % 1000);
    for (size_t a = 0; a < kActions; ++a) policy[c * kActions + a] /= sum;
  }
  return policy;
}

TEST(Planted, ValuesSolveBellmansEquations) {
  const PlantedGame g = game(4);
  const Table policy = any_policy(g, 5);
  const double gamma = 0.97, scale = 0.01;
  const Values of_policy = values_of(g, policy, gamma, scale), best = optimal_values(g, gamma, scale);
  for (size_t i = 0; i < g.alphas(); ++i)
    for (size_t k = 0; k < g.positions.size(); ++k) {
      const size_t c = g.cell(i, k);
      double mean = 0;
      for (size_t a = 0; a < kActions; ++a) {
        double next_pi = 0, next_best = 0;
        for (size_t j = 0; j < g.alphas(); ++j) {
          next_pi += g.chain.transition[i * g.alphas() + j] * of_policy.v[g.cell(j, g.next[k][a])];
          next_best += g.chain.transition[i * g.alphas() + j] * best.v[g.cell(j, g.next[k][a])];
        }
        const double reward = scale * (g.chain.alpha[i] * g.positions[k] - g.cost[k][a]);
        ASSERT_NEAR(of_policy.q[c * kActions + a], reward + gamma * next_pi, 1e-11);
        ASSERT_NEAR(best.q[c * kActions + a], reward + gamma * next_best, 1e-11);
        mean += policy[c * kActions + a] * of_policy.q[c * kActions + a];
      }
      ASSERT_NEAR(of_policy.v[c], mean, 1e-11);
      ASSERT_NEAR(best.v[c], *std::max_element(&best.q[c * kActions], &best.q[c * kActions] + kActions), 1e-11);
      ASSERT_GE(best.v[c], of_policy.v[c]);
    }
}

TEST(Planted, TheLongRunIsThatOfASimulation) {
  const PlantedGame g = game(2);
  const Table policy = any_policy(g, 9);
  const LongRun run = long_run(g, policy);
  double total = 0;
  for (const double p : run.occupancy) total += p;
  EXPECT_NEAR(total, 1, 1e-12);
  std::mt19937_64 random(1);
  const auto draw = [&](const double* p, size_t n) {
    double u = std::uniform_real_distribution<>()(random);
    size_t j = 0;
    while (j + 1 < n && (u -= p[j]) >= 0) ++j;
    return j;
  };
  std::vector<double> visits(g.cells(), 0);
  double earned = 0;
  constexpr int kSteps = 400'000;
  size_t i = g.alphas() / 2, k = g.flat;
  for (int t = 0; t < kSteps; ++t) {
    visits[g.cell(i, k)] += 1.0 / kSteps;
    const size_t a = draw(&policy[g.cell(i, k) * kActions], kActions);
    earned += g.chain.alpha[i] * g.positions[k] - g.cost[k][a];
    k = g.next[k][a];
    i = draw(&g.chain.transition[i * g.alphas()], g.alphas());
  }
  EXPECT_NEAR(earned / kSteps, run.ticks, 0.03);
  for (size_t c = 0; c < g.cells(); ++c) EXPECT_NEAR(visits[c], run.occupancy[c], 0.002);
}

// Positive differential values are what the policy's improvement lives on: the optimum has none left.
TEST(Planted, DifferentialValuesOfTheOptimumCannotBeImproved) {
  const PlantedGame g = game(4);
  const MeanOptimum best = mean_optimum(g);
  EXPECT_NEAR(long_run(g, best.policy).ticks, best.ticks, 1e-9);
  const Table q = differential_values(g, best.policy, best.ticks);
  for (size_t c = 0; c < g.cells(); ++c) {
    const double* row = &q[c * kActions];
    const auto chosen = static_cast<size_t>(std::find(&best.policy[c * kActions], &best.policy[c * kActions] + kActions, 1.0) - &best.policy[c * kActions]);
    ASSERT_NEAR(row[chosen], *std::max_element(row, row + kActions), 1e-6);
  }
}

}  // namespace
}  // namespace foxhunt::known_answers::test
