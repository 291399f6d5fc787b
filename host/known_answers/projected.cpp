#include "projected.hpp"

#include <algorithm>
#include <cmath>

namespace foxhunt::known_answers {

namespace {

// Adds p at z, split between the two atoms next to it.
void project(const Support& s, double z, double p, double* to) {
  const double at = std::clamp((z - s.v_min) / (s.v_max - s.v_min), 0.0, 1.0) * static_cast<double>(s.atoms - 1);
  const auto below = std::min(static_cast<size_t>(at), s.atoms - 2);
  const double above = at - static_cast<double>(below);
  to[below] += p * (1 - above);
  to[below + 1] += p * above;
}

}  // namespace

Table projected_values(const PlantedGame& g, const Support& s, double gamma, double scale, const Table& policy) {
  const size_t n = g.alphas(), P = g.positions.size(), K = s.atoms;
  const double step = (s.v_max - s.v_min) / static_cast<double>(K - 1);
  // Distribution of the value of each state, and of the state reached at position k from alpha i.
  std::vector<double> state(g.cells() * K, 0), ahead(g.cells() * K), own(K);
  for (size_t c = 0; c < g.cells(); ++c) project(s, 0, 1, &state[c * K]);
  Table q(g.cells() * kActions, 0), before;
  std::vector<double> of_actions(kActions * K);
  const double largest = std::max(std::abs(s.v_min), std::abs(s.v_max));
  for (int sweep = 0; sweep < 100'000; ++sweep) {
    std::fill(ahead.begin(), ahead.end(), 0);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) {
        const double p = g.chain.transition[i * n + j];
        if (p < 1e-14) continue;
        for (size_t x = 0; x < P * K; ++x) ahead[i * P * K + x] += p * state[j * P * K + x];
      }
    before = q;
    for (size_t i = 0; i < n; ++i)
      for (size_t k = 0; k < P; ++k) {
        const size_t c = g.cell(i, k);
        std::fill(of_actions.begin(), of_actions.end(), 0);
        for (size_t a = 0; a < kActions; ++a) {
          const double reward = scale * (g.chain.alpha[i] * g.positions[k] - g.cost[k][a]);
          const double* next = &ahead[g.cell(i, g.next[k][a]) * K];
          double* mine = &of_actions[a * K];
          double mean = 0;
          for (size_t m = 0; m < K; ++m) project(s, reward + gamma * (s.v_min + step * static_cast<double>(m)), next[m], mine);
          for (size_t m = 0; m < K; ++m) mean += mine[m] * (s.v_min + step * static_cast<double>(m));
          q[c * kActions + a] = mean;
        }
        double* to = &state[c * K];
        const double* mine = &q[c * kActions];
        if (policy.empty()) {
          const auto best = static_cast<size_t>(std::max_element(mine, mine + kActions) - mine);
          std::copy_n(&of_actions[best * K], K, to);
        } else {
          std::fill_n(to, K, 0);
          for (size_t a = 0; a < kActions; ++a)
            for (size_t m = 0; m < K; ++m) to[m] += policy[c * kActions + a] * of_actions[a * K + m];
        }
      }
    double change = 0;
    for (size_t x = 0; x < q.size(); ++x) change = std::max(change, std::abs(q[x] - before[x]));
    if (sweep > 0 && change * gamma <= 1e-8 * largest * (1 - gamma)) break;
  }
  return q;
}

}  // namespace foxhunt::known_answers
