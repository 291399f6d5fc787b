#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "solve.hpp"

namespace foxhunt::known_answers {

/// What an agent did in each state of the planted market.
///
/// alpha's chain depends on nothing that an agent sees or remembers, and rewards depend on (alpha, position, action)
/// alone. So an agent of any kind earns in the long run what the policy over (alpha, position) earns that takes each
/// action as often as the agent does there: a score without the noise of the price's path. What is left is the sampling
/// error of those shares; for a policy of alpha and position alone it is none.
class Visits {
 public:
  static constexpr size_t kFolds = 8;
  explicit Visits(std::shared_ptr<const PlantedGame> game)
      : game_(std::move(game)), counts_(kFolds, std::vector<int64_t>(game_->cells() * kActions, 0)) {}

  /// `fold`: which of kFolds equal spans of time it was.
  void add(size_t alpha, size_t position, size_t action, size_t fold) {
    counts_[fold][game_->cell(alpha, position) * kActions + action] += 1;
  }
  int64_t steps() const;
  /// [cells] how often each state was visited.
  std::vector<int64_t> states() const;
  /// Shares of the actions, [cells, 9]. A state never visited takes those of the nearest alpha that was at the same
  /// position; a position never visited holds. @param without  a fold to leave out; kFolds: none
  Table policy(size_t without = kFolds) const;
  const PlantedGame& game() const { return *game_; }

 private:
  std::shared_ptr<const PlantedGame> game_;
  std::vector<std::vector<int64_t>> counts_;  ///< [folds][cells, 9]
};

struct Score {
  double ticks = 0;  ///< mean reward a step in the long run
  double error = 0;  ///< its standard error, by the jackknife over the folds (Tukey 1958)
};
/// @pre visits.steps() > 0
Score score(const Visits& visits);

}  // namespace foxhunt::known_answers
