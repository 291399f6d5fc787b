#pragma once
#include "solve.hpp"

namespace foxhunt::known_answers {

/// The atoms of a categorical head.
struct Support {
  double v_min = -1, v_max = 1;
  size_t atoms = 2;
};

/// Q of a tabular categorical learner: the fixed point of the projected distributional Bellman operator (Bellemare, Dabney
/// and Munos 2017, eq. 7), and so what a categorical head can learn at best. Between the ends of the support the projection
/// keeps means; beyond them it clips.
/// @param policy  [cells, 9] of the next action; empty: the greedy one of the fixed point itself
/// @param gamma  below 1
Table projected_values(const PlantedGame& game, const Support& support, double gamma, double reward_scale, const Table& policy = {});

}  // namespace foxhunt::known_answers
