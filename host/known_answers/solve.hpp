#pragma once
#include <functional>
#include <vector>

#include "planted_game.hpp"

namespace foxhunt::known_answers {

/// Whether an action may be taken at a position (an index).
using Allowed = std::function<bool(size_t position, size_t action)>;

/// The best mean reward a step.
struct MeanOptimum {
  double ticks = 0;
  Table policy;  ///< [cells, 9], 1 for the best action
};
/// Relative value iteration (White 1963). @param allowed  restricts the actions; empty: all
MeanOptimum mean_optimum(const PlantedGame& game, const Allowed& allowed = {});

/// What a stationary policy does in the long run, from flat.
struct LongRun {
  double ticks = 0;                 ///< mean reward a step
  std::vector<double> occupancy;    ///< [cells], share of the steps
};
/// @param policy  [cells, 9] probabilities
LongRun long_run(const PlantedGame& game, const Table& policy);

/// Differential values of a policy, [cells, 9]: how much better an action is than the mean in the long run, ticks.
Table differential_values(const PlantedGame& game, const Table& policy, double mean_ticks);

/// Discounted values, in units of the reward (ticks x reward_scale).
struct Values {
  std::vector<double> v;  ///< [cells]
  Table q;                ///< [cells, 9]
};
/// Q* and V* by value iteration to 1e-12 of the largest reward. @param gamma  below 1
Values optimal_values(const PlantedGame& game, double gamma, double reward_scale);
/// Q^pi and V^pi.
Values values_of(const PlantedGame& game, const Table& policy, double gamma, double reward_scale);

/// The policy that takes `action(alpha index, position index)`.
Table deterministic(const PlantedGame& game, const std::function<size_t(size_t, size_t)>& action);

}  // namespace foxhunt::known_answers
