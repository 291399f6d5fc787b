#include "market/planted_chain.hpp"

#include <algorithm>
#include <cmath>
#include <foxhunt/error.hpp>
#include <string>

namespace foxhunt::market {
namespace {

double normal_below(double z) { return 0.5 * std::erfc(-z * M_SQRT1_2); }

void check(const PlantedModel& m) {
  const auto refuse = [](const std::string& why) { throw Error("planted market: " + why); };
  if (m.states < 2 || m.states > 4096)
    refuse("states = " + std::to_string(m.states) + ", 2 to 4096 expected");
  if (!(m.phi > -1 && m.phi < 1)) refuse("phi must lie between -1 and 1");
  if (!(m.sigma > 0) || !(m.width > 0)) refuse("sigma and width must be positive");
  if (m.sigma * m.width > 1)
    refuse("sigma * width must not exceed 1: P(up) = (1 + alpha) / 2 is a probability");
  if (m.near_lots < 1 || m.near_lots > 1'000'000) refuse("near_lots must lie between one lot and 1,000,000");
  if (m.hidden && !(m.noise > 0 && m.noise < 1e6)) refuse("a hidden signal needs positive noise");
}

}  // namespace

AlphaChain make_chain(const PlantedModel& m) {
  check(m);
  const auto n = static_cast<size_t>(m.states);
  const double top = m.sigma * m.width, step = 2 * top / (m.states - 1);
  const double shock = m.sigma * std::sqrt(1 - m.phi * m.phi);
  AlphaChain c;
  for (size_t i = 0; i < n; ++i) c.alpha.push_back(-top + step * static_cast<double>(i));
  c.transition.resize(n * n);
  for (size_t i = 0; i < n; ++i) {
    double below = 0;  // the outer states take the tails
    for (size_t j = 0; j < n; ++j) {
      const double upto =
          j + 1 == n ? 1.0 : normal_below((c.alpha[j] + step / 2 - m.phi * c.alpha[i]) / shock);
      c.transition[i * n + j] = upto - below;
      below = upto;
    }
  }
  // Power iteration: the chain mixes at rate about phi a step, so squaring is not needed.
  c.stationary.assign(n, 1.0 / static_cast<double>(n));
  for (int k = 0; k < 100'000; ++k) {
    std::vector<double> next(n, 0.0);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) next[j] += c.stationary[i] * c.transition[i * n + j];
    double change = 0;
    for (size_t j = 0; j < n; ++j) change = std::max(change, std::abs(next[j] - c.stationary[j]));
    c.stationary = next;
    if (change < 1e-16) break;
  }
  return c;
}

int near_levels(const PlantedModel& m) {
  constexpr uint32_t kLargestOrder = 8;
  return static_cast<int>((kLargestOrder + m.near_lots - 1) / m.near_lots);
}

double shown_range(const PlantedModel& m) { return m.sigma * (m.width + (m.hidden ? 4 * m.noise : 0)); }

DeepSizes deep_sizes(const PlantedModel& m, double shown) {
  constexpr double kMean = 1000, kSwing = 900;
  const double range = shown_range(m);
  const auto tilt = static_cast<int32_t>(std::lround(kSwing * std::clamp(shown, -range, range) / range));
  return {static_cast<uint32_t>(static_cast<int32_t>(kMean) + tilt),
          static_cast<uint32_t>(static_cast<int32_t>(kMean) - tilt)};
}

}  // namespace foxhunt::market
