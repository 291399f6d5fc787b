#pragma once
#include <cstdint>

#include "solve.hpp"

namespace foxhunt::known_answers {

/// The planted market whose book shows alpha + normal noise.
///
/// What a policy sees of the signal is cut into `bins` equal intervals over the range that the book can show.
struct Noise {
  double deviation = 0;             ///< of the noise, ticks a row
  std::vector<double> shown;        ///< [bins], middle of each
  std::vector<double> likelihood;   ///< [alphas, bins]: P(bin | alpha); the outer bins take the tails
};
Noise make_noise(const PlantedGame& game, size_t bins = 90);

/// The policy over the true state that a memoryless policy over what is shown amounts to.
/// @param shown_policy  [bins, positions]: action
Table effective(const PlantedGame& game, const Noise& noise, const std::vector<size_t>& shown_policy);

/// A policy that remembers nothing, improved until no change of its actions at one position gains anything that a search by halves finds: a local
/// optimum, so a lower bound of the best one. Its reward is exact.
struct Memoryless {
  std::vector<size_t> actions;  ///< [bins, positions]
  double ticks = 0;
};
Memoryless best_memoryless(const PlantedGame& game, const Noise& noise);

/// What can be earned with a memory of the signal shown. The belief over alpha is the exact Bayes filter; the policy is the
/// optimum of the chain of its mean, cut into intervals, whose transitions are counted on a path; it is then played on
/// another path, where each step earns E[move | true alpha] x position.
struct BeliefOptimum {
  double ticks = 0, error = 0;  ///< mean over the path played, and its standard error by batches
};
/// @param moves  the filter also sees the moves of the mid, which tell as much of alpha as the signal does
BeliefOptimum belief_optimum(const PlantedGame& game, const Noise& noise, bool moves, int64_t steps = 2'000'000);

}  // namespace foxhunt::known_answers
