#include <algorithm>
#include <array>
#include <cmath>

#include "dbn_bytes.hpp"
#include "market/planted.hpp"

namespace foxhunt::market::test {
namespace {

constexpr int kPositions = 9;  // -4 to 4 lots
constexpr double kFee = 0.05;  // ticks a lot
constexpr double kUnknown = 1e9;

/// Ticks lost against the mid by buying `lots` in this row, fees included: walked on the generated book
/// itself.
double cost_of(const Market& m, int64_t row, int lots) {
  double cost = 0;
  const double mid = 0.5 * (m.best_bid(row) + m.best_ask(row));
  for (int64_t l = 0; lots > 0 && l < m.levels; ++l) {
    const auto i = static_cast<size_t>(row * m.levels + l);
    const int taken = static_cast<int>(std::min<uint32_t>(m.ask_sz[i], static_cast<uint32_t>(lots)));
    cost += taken * (m.ask_px[i] - mid + kFee);
    lots -= taken;
  }
  return lots == 0 ? cost : kUnknown;
}

/// The position that action `a` of the nine asks for, from position p.
int target(int a, int p) {
  constexpr std::array<int, 9> kTargets = {-4, -2, -1, 0, 1, 2, 4, 0, 0};
  return a == 3 ? p : a == 7 ? p / 2 : a == 8 ? 0 : kTargets[static_cast<size_t>(a)];
}

/// Mean reward a step, ticks, of deciding on row t, earning alpha_t on the position held, and filling at row
/// t + 1.
struct Game {
  explicit Game(uint32_t near_lots) {
    PlantedOptions o;
    o.rows = 100;
    o.model.near_lots = near_lots;
    chain = make_chain(o.model);
    const Market m = generate_planted(o);
    for (int lots = 0; lots <= 8; ++lots) {
      cost[static_cast<size_t>(lots)] = cost_of(m, 0, lots);
      for (int64_t r = 1; r < m.rows(); ++r) EXPECT_EQ(cost_of(m, r, lots), cost[static_cast<size_t>(lots)]);
    }
  }
  /// Relative value iteration (White 1963); `choose(i, p, values)` picks among the nine actions' values.
  template <class Choose>
  double mean_reward(const Choose& choose) const {
    const size_t n = chain.alpha.size();
    std::vector<double> v(n * kPositions), ahead(n * kPositions);
    double gain = 0;
    for (int sweep = 0; sweep < 600; ++sweep) {
      for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < kPositions; ++k) {
          double sum = 0;
          for (size_t j = 0; j < n; ++j) sum += chain.transition[i * n + j] * v[j * kPositions + k];
          ahead[i * kPositions + k] = sum;
        }
      for (size_t i = 0; i < n; ++i)
        for (int p = -4; p <= 4; ++p) {
          std::array<double, 9> q{};
          for (int a = 0; a < 9; ++a) {
            const int next = target(a, p);
            q[static_cast<size_t>(a)] = chain.alpha[i] * p - cost[static_cast<size_t>(std::abs(next - p))] +
                                        ahead[i * kPositions + static_cast<size_t>(next + 4)];
          }
          v[i * kPositions + static_cast<size_t>(p + 4)] = choose(chain.alpha[i], q);
        }
      gain = v[n / 2 * kPositions + 4];
      for (double& x : v) x -= gain;
    }
    return gain;
  }
  AlphaChain chain;
  std::array<double, 9> cost{};
};

using Q = std::array<double, 9>;
double best(double, const Q& q) { return *std::max_element(q.begin(), q.end()); }
double uniform(double, const Q& q) {
  double sum = 0;
  for (const double x : q) sum += x / 9;
  return sum;
}
auto threshold(double t, size_t otherwise) {
  return [=](double alpha, const Q& q) { return q[alpha > t ? 6 : alpha < -t ? 0 : otherwise]; };
}
double best_threshold(const Game& g, size_t otherwise) {
  double most = -1e9;
  for (size_t j = 16; j < 24; ++j)
    most = std::max(most, g.mean_reward(threshold(g.chain.alpha[j] - 0.01, otherwise)));
  return most;
}

/// The known answers of the planted market, from the generated book and the generator's own chain.
TEST(PlantedOptimum, FourLotsALevel) {
  const Game g(4);
  EXPECT_NEAR(g.cost[8], 4 * 0.55 + 4 * 1.55, 1e-9);
  const double optimum = g.mean_reward(best);
  EXPECT_NEAR(optimum, 0.7259, 0.0001);
  EXPECT_NEAR(g.mean_reward(uniform) / optimum, -2.08, 0.005);
  EXPECT_NEAR(g.mean_reward(threshold(-0.01, 8)) / optimum, 0.13, 0.005);  // the sign of alpha at full size
  EXPECT_NEAR(best_threshold(g, 8) / optimum, 0.63, 0.005);
  EXPECT_NEAR(best_threshold(g, 3) / optimum, 0.885, 0.001);
}

TEST(PlantedOptimum, TwoLotsALevel) {
  const Game g(2);
  EXPECT_NEAR(g.cost[8], 2 * (0.55 + 1.55 + 2.55 + 3.55), 1e-9);
  const double optimum = g.mean_reward(best);
  EXPECT_NEAR(optimum, 0.7085, 0.0001);
  EXPECT_NEAR(g.mean_reward(threshold(-0.01, 8)) / optimum, -0.97, 0.006);
  EXPECT_NEAR(best_threshold(g, 8) / optimum, 0.12, 0.005);
  EXPECT_NEAR(best_threshold(g, 3) / optimum, 0.709, 0.001);
}

}  // namespace
}  // namespace foxhunt::market::test
