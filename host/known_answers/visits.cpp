#include "visits.hpp"

#include <cmath>

namespace foxhunt::known_answers {

namespace {
constexpr size_t kHold = 3;
}

int64_t Visits::steps() const {
  int64_t sum = 0;
  for (const int64_t n : states()) sum += n;
  return sum;
}

std::vector<int64_t> Visits::states() const {
  std::vector<int64_t> n(game_->cells(), 0);
  for (const auto& fold : counts_)
    for (size_t i = 0; i < fold.size(); ++i) n[i / kActions] += fold[i];
  return n;
}

Table Visits::policy(size_t without) const {
  const PlantedGame& g = *game_;
  Table policy(g.cells() * kActions, 0);
  std::vector<bool> visited(g.cells(), false);
  for (size_t c = 0; c < g.cells(); ++c) {
    std::array<int64_t, kActions> n{};
    int64_t total = 0;
    for (size_t fold = 0; fold < kFolds; ++fold)
      for (size_t a = 0; a < kActions && fold != without; ++a) {
        n[a] += counts_[fold][c * kActions + a];
        total += counts_[fold][c * kActions + a];
      }
    visited[c] = total > 0;
    for (size_t a = 0; a < kActions && total > 0; ++a)
      policy[c * kActions + a] = static_cast<double>(n[a]) / static_cast<double>(total);
  }
  for (size_t i = 0; i < g.alphas(); ++i)
    for (size_t k = 0; k < g.positions.size(); ++k) {
      if (visited[g.cell(i, k)]) continue;
      size_t nearest = g.alphas();
      for (size_t j = 0; j < g.alphas(); ++j) {
        const auto distance = [i](size_t other) { return other > i ? other - i : i - other; };
        if (visited[g.cell(j, k)] && (nearest == g.alphas() || distance(j) < distance(nearest))) nearest = j;
      }
      double* here = &policy[g.cell(i, k) * kActions];
      if (nearest == g.alphas()) here[kHold] = 1;
      else
        for (size_t a = 0; a < kActions; ++a) here[a] = policy[g.cell(nearest, k) * kActions + a];
    }
  return policy;
}

Score score(const Visits& visits) {
  Score s;
  s.ticks = long_run(visits.game(), visits.policy()).ticks;
  constexpr double folds = Visits::kFolds;
  std::array<double, Visits::kFolds> left_out{};
  double mean = 0, spread = 0;
  for (size_t f = 0; f < Visits::kFolds; ++f) mean += (left_out[f] = long_run(visits.game(), visits.policy(f)).ticks) / folds;
  for (const double x : left_out) spread += (x - mean) * (x - mean);
  s.error = std::sqrt((folds - 1) / folds * spread);
  return s;
}

}  // namespace foxhunt::known_answers
