#pragma once
#include <memory>
#include <optional>
#include <string>

#include "../environment/accounts.hpp"
#include "../known_answers/visits.hpp"
#include "../market/market.hpp"

namespace foxhunt::trainer {

/// What is known exactly of an agent on the planted market.
struct PlantedScore {
  std::string unknown;            ///< why nothing is known; the rest is then empty
  known_answers::Score score;     ///< ticks a step, in the long run
  double optimum = 0;             ///< ticks a step; of a hidden signal: with a memory of what the book showed
  double optimum_error = 0;       ///< its standard error; 0 where alpha is seen, then it is exact
  std::shared_ptr<const known_answers::Visits> visits;
  double share() const { return score.ticks / optimum; }
};

/// The game that the accounts play on this market. @throws foxhunt::Error saying why its answer is not known
std::shared_ptr<const known_answers::PlantedGame> planted_game(const market::Market& market, const environment::AccountSettings& account,
                                                               double tick_value);

/// Collects what an evaluation does on a planted market.
class PlantedScorer {
 public:
  /// Null for any other market. `rows`: rows of the market that are evaluated
  static std::unique_ptr<PlantedScorer> make(const market::Market& market, environment::RowRange rows,
                                             const environment::AccountSettings& account, double tick_value);
  /// Forgets what was collected.
  void reset();
  /// A decision at `row` of the market with `held` lots, after which the account held `now` lots at `next_row`.
  /// Returns the state's cell; nothing once no score can be known.
  std::optional<size_t> add(int64_t row, double held, int32_t action, double now, int64_t next_row);
  PlantedScore result() const;

 private:
  environment::RowRange rows_;
  std::vector<uint16_t> alpha_;  ///< [rows of the market]
  std::shared_ptr<const known_answers::PlantedGame> game_;
  std::shared_ptr<known_answers::Visits> visits_;
  std::string unknown_;      ///< of the market and the settings
  std::string departed_;     ///< of what the accounts did
};

}  // namespace foxhunt::trainer
