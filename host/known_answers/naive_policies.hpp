#pragma once
#include <string>
#include <vector>

#include "solve.hpp"

namespace foxhunt::known_answers {

/// A policy and what it earns.
struct Named {
  std::string name;
  Table policy;
  double ticks = 0;  ///< mean reward a step
};

/// What stands beside the optimum where alpha is seen: uniform; the sign of alpha at full size; the best threshold on
/// |alpha|, full size beyond it and flat, or holding, below; the optimum of a book that has all lots at its best level;
/// the best that uses only one of the sizes.
std::vector<Named> naive_policies(const PlantedGame& game);

}  // namespace foxhunt::known_answers
