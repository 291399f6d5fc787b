#include "solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foxhunt::known_answers {

namespace {

// [cells]: expectation of v at the next alpha, the position being k already.
std::vector<double> ahead(const PlantedGame& g, const std::vector<double>& v) {
  const size_t n = g.alphas(), P = g.positions.size();
  std::vector<double> e(n * P, 0);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      const double p = g.chain.transition[i * n + j];
      for (size_t k = 0; k < P; ++k) e[i * P + k] += p * v[j * P + k];
    }
  return e;
}

// q [cells, 9] = scale x reward + gamma x v at the next state.
Table look_ahead(const PlantedGame& g, const std::vector<double>& v, double gamma, double scale) {
  const std::vector<double> e = ahead(g, v);
  Table q(g.cells() * kActions);
  for (size_t i = 0; i < g.alphas(); ++i)
    for (size_t k = 0; k < g.positions.size(); ++k)
      for (size_t a = 0; a < kActions; ++a)
        q[g.cell(i, k) * kActions + a] =
            scale * (g.chain.alpha[i] * g.positions[k] - g.cost[k][a]) + gamma * e[g.cell(i, g.next[k][a])];
  return q;
}

size_t best_of(const PlantedGame& g, const Table& q, size_t c, const Allowed& allowed) {
  const size_t k = c % g.positions.size();
  size_t best = kActions;
  for (size_t a = 0; a < kActions; ++a)
    if ((!allowed || allowed(k, a)) && (best == kActions || q[c * kActions + a] > q[c * kActions + best])) best = a;
  return best;
}

double mean_of(const Table& q, const Table& policy, size_t c) {
  double sum = 0;
  for (size_t a = 0; a < kActions; ++a) sum += policy[c * kActions + a] * q[c * kActions + a];
  return sum;
}

// Repeats v <- f(q(v)) until it changes by no more than `tolerance`.
template <class F>
Values fixed_point(const PlantedGame& g, double gamma, double scale, const F& f) {
  double largest = 0;
  for (size_t k = 0; k < g.positions.size(); ++k)
    for (size_t a = 0; a < kActions; ++a)
      largest = std::max(largest, scale * (g.chain.alpha.back() * std::abs(g.positions[k]) + g.cost[k][a]));
  Values x{std::vector<double>(g.cells(), 0), {}};
  for (int sweep = 0; sweep < 2'000'000; ++sweep) {
    x.q = look_ahead(g, x.v, gamma, scale);
    double change = 0;
    for (size_t c = 0; c < g.cells(); ++c) {
      const double v = f(x.q, c);
      change = std::max(change, std::abs(v - x.v[c]));
      x.v[c] = v;
    }
    if (change * gamma <= 1e-12 * largest * (1 - gamma)) break;
  }
  x.q = look_ahead(g, x.v, gamma, scale);
  return x;
}

}  // namespace

MeanOptimum mean_optimum(const PlantedGame& g, const Allowed& allowed) {
  std::vector<double> v(g.cells(), 0);
  Table q;
  MeanOptimum m;
  for (int sweep = 0; sweep < 100'000; ++sweep) {
    q = look_ahead(g, v, 1, 1);
    // The differences of the values bound the gain from both sides (Odoni 1969).
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (size_t c = 0; c < g.cells(); ++c) {
      const double best = q[c * kActions + best_of(g, q, c, allowed)], change = best - v[c];
      least = std::min(least, change);
      most = std::max(most, change);
      v[c] = best;
    }
    const double shift = v[g.cell(g.alphas() / 2, g.flat)];
    for (double& x : v) x -= shift;
    m.ticks = (least + most) / 2;
    if (most - least < 1e-11) break;
  }
  m.policy.assign(g.cells() * kActions, 0);
  for (size_t c = 0; c < g.cells(); ++c) m.policy[c * kActions + best_of(g, q, c, allowed)] = 1;
  return m;
}

LongRun long_run(const PlantedGame& g, const Table& policy) {
  const size_t n = g.alphas(), P = g.positions.size();
  LongRun r;
  r.occupancy.assign(g.cells(), 0);
  for (size_t i = 0; i < n; ++i) r.occupancy[g.cell(i, g.flat)] = g.chain.stationary[i];
  std::vector<double> moved(g.cells()), next(g.cells());
  for (int sweep = 0; sweep < 200'000; ++sweep) {
    std::fill(moved.begin(), moved.end(), 0);
    std::fill(next.begin(), next.end(), 0);
    for (size_t i = 0; i < n; ++i)
      for (size_t k = 0; k < P; ++k) {
        const size_t c = g.cell(i, k);
        if (r.occupancy[c] == 0) continue;
        for (size_t a = 0; a < kActions; ++a) moved[g.cell(i, g.next[k][a])] += r.occupancy[c] * policy[c * kActions + a];
      }
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) {
        const double p = g.chain.transition[i * n + j];
        for (size_t k = 0; k < P; ++k) next[j * P + k] += p * moved[i * P + k];
      }
    // Half a step at a time: the same limit, reached by periodic policies too.
    double change = 0;
    for (size_t c = 0; c < g.cells(); ++c) {
      const double to = 0.5 * (r.occupancy[c] + next[c]);
      change = std::max(change, std::abs(to - r.occupancy[c]));
      r.occupancy[c] = to;
    }
    if (change < 1e-15) break;
  }
  for (size_t c = 0; c < g.cells(); ++c)
    for (size_t a = 0; a < kActions; ++a)
      r.ticks += r.occupancy[c] * policy[c * kActions + a] *
                 (g.chain.alpha[c / P] * g.positions[c % P] - g.cost[c % P][a]);
  return r;
}

Table differential_values(const PlantedGame& g, const Table& policy, double mean_ticks) {
  std::vector<double> v(g.cells(), 0);
  Table q;
  for (int sweep = 0; sweep < 100'000; ++sweep) {
    q = look_ahead(g, v, 1, 1);
    double change = 0;
    for (size_t c = 0; c < g.cells(); ++c) {
      const double to = 0.5 * (v[c] + mean_of(q, policy, c) - mean_ticks);
      change = std::max(change, std::abs(to - v[c]));
      v[c] = to;
    }
    if (change < 1e-10) break;
  }
  return look_ahead(g, v, 1, 1);
}

Values optimal_values(const PlantedGame& g, double gamma, double reward_scale) {
  return fixed_point(g, gamma, reward_scale, [&](const Table& q, size_t c) { return q[c * kActions + best_of(g, q, c, {})]; });
}

Values values_of(const PlantedGame& g, const Table& policy, double gamma, double reward_scale) {
  return fixed_point(g, gamma, reward_scale, [&](const Table& q, size_t c) { return mean_of(q, policy, c); });
}

Table deterministic(const PlantedGame& g, const std::function<size_t(size_t, size_t)>& action) {
  Table policy(g.cells() * kActions, 0);
  for (size_t i = 0; i < g.alphas(); ++i)
    for (size_t k = 0; k < g.positions.size(); ++k) policy[g.cell(i, k) * kActions + action(i, k)] = 1;
  return policy;
}

}  // namespace foxhunt::known_answers
