#include "planted_game.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <foxhunt/error.hpp>
#include <set>

#include "../common/text.hpp"

namespace foxhunt::known_answers {

namespace {

// kernels_src/environment/account.cu, action_target.
int target(const GameSettings& s, size_t action, int held) {
  switch (action) {
    case 0: return -s.full;
    case 1: return -s.half;
    case 2: return -s.small;
    case 4: return s.small;
    case 5: return s.half;
    case 6: return s.full;
    case 7: return held / 2;
    case 8: return 0;
    default: return held;
  }
}

}  // namespace

double order_cost(const GameSettings& s, int lots) {
  double cost = 0;
  for (int k = 0; k < lots; ++k) cost += 0.5 + k / static_cast<int>(s.model.near_lots) + s.fee;
  return cost;
}

PlantedGame make_game(const GameSettings& settings) {
  const int largest = 2 * std::max({settings.small, settings.half, settings.full});
  const int64_t near = int64_t{market::near_levels(settings.model)} * settings.model.near_lots;
  if (largest > near)
    throw Error(text("planted market: an order of ", largest, " lots (from full size to the other side) goes beyond the ", near,
                     " lots of the near levels, so its cost is not known; expected env.full of at most ", near / 2));
  if (settings.model.states > 512)
    throw Error(text("planted market: ", settings.model.states, " states of alpha; its optimum is computed for at most 512"));
  PlantedGame g;
  g.settings = settings;
  g.chain = market::make_chain(settings.model);
  std::set<int> reached{0};
  for (size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const int held : std::set<int>(reached))
      for (size_t a = 0; a < kActions; ++a) reached.insert(target(settings, a, held));
  }
  g.positions.assign(reached.begin(), reached.end());
  g.flat = g.index_of(0);
  for (const int held : g.positions) {
    auto& next = g.next.emplace_back();
    auto& cost = g.cost.emplace_back();
    for (size_t a = 0; a < kActions; ++a) {
      const int to = target(settings, a, held);
      next[a] = g.index_of(to);
      cost[a] = order_cost(settings, std::abs(to - held));
    }
  }
  return g;
}

size_t PlantedGame::index_of(double lots) const {
  const auto found = std::lower_bound(positions.begin(), positions.end(), static_cast<int>(std::lround(lots)));
  return found != positions.end() && *found == lots ? static_cast<size_t>(found - positions.begin()) : positions.size();
}

}  // namespace foxhunt::known_answers
