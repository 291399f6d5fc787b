#include "naive_policies.hpp"

#include "../common/text.hpp"

namespace foxhunt::known_answers {

namespace {

constexpr size_t kShortFull = 0, kHold = 3, kLongFull = 6, kFlat = 8;

Table threshold(const PlantedGame& g, double beyond, size_t otherwise) {
  return deterministic(g, [&](size_t i, size_t) {
    const double alpha = g.chain.alpha[i];
    return alpha > beyond ? kLongFull : alpha < -beyond ? kShortFull : otherwise;
  });
}

Named best_threshold(const PlantedGame& g, size_t otherwise) {
  Named best;
  const double step = g.chain.alpha[1] - g.chain.alpha[0];
  for (size_t i = g.alphas() / 2; i < g.alphas(); ++i) {
    const double beyond = g.chain.alpha[i] - step / 2;
    Named one{text("threshold ", fixed(beyond, 2), otherwise == kHold ? ", else hold" : ", else flat"), threshold(g, beyond, otherwise), 0};
    one.ticks = long_run(g, one.policy).ticks;
    if (best.policy.empty() || one.ticks > best.ticks) best = std::move(one);
  }
  return best;
}

// Hold and flat may always be; the size at hand by either direction.
Named only(const PlantedGame& g, int lots, size_t sell, size_t buy) {
  const MeanOptimum m = mean_optimum(g, [&](size_t, size_t a) { return a == kHold || a == kFlat || a == sell || a == buy; });
  return {text("optimum with -", lots, ", 0, +", lots, " lots alone"), m.policy, m.ticks};
}

}  // namespace

std::vector<Named> naive_policies(const PlantedGame& g) {
  std::vector<Named> all;
  const auto add = [&](const std::string& name, Table policy) {
    const double ticks = long_run(g, policy).ticks;
    all.push_back({name, std::move(policy), ticks});
  };
  add("uniform", Table(g.cells() * kActions, 1.0 / kActions));
  const double step = g.chain.alpha[1] - g.chain.alpha[0];
  add("sign of alpha at full size", threshold(g, -step / 2, kFlat));
  all.push_back(best_threshold(g, kFlat));
  all.push_back(best_threshold(g, kHold));
  GameSettings deep = g.settings;
  deep.model.near_lots = static_cast<uint32_t>(2 * g.settings.full);
  add("optimum of a book without depth costs", mean_optimum(make_game(deep)).policy);
  const GameSettings& s = g.settings;
  all.push_back(only(g, s.small, 2, 4));
  all.push_back(only(g, s.half, 1, 5));
  all.push_back(only(g, s.full, 0, 6));
  return all;
}

}  // namespace foxhunt::known_answers
