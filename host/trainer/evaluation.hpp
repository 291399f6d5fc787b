#pragma once
#include <functional>
#include <string>
#include <vector>

#include "agent.hpp"
#include "critic_samples.hpp"
#include "planted_score.hpp"

namespace foxhunt::trainer {

/// One filled order, as a ledger needs it.
struct Fill {
  int64_t step = 0;      ///< step of the evaluation, or iteration x horizon + step of training
  int64_t account = 0;
  int64_t row = 0;       ///< of the whole market
  double lots = 0;       ///< signed: bought is positive
  double value_ticks = 0;  ///< signed lots x price in ticks, summed over the levels walked
  double fee_usd = 0;
};

/// What a policy did where it was not trained: on a part of the market, or in episodes of their own.
struct EvaluationResult {
  std::string part;           ///< "validation", "test"
  int64_t accounts = 0, steps = 0, rows = 0;
  std::vector<std::string> action_names;
  std::vector<double> returns;  ///< of each episode, where actions are no orders; all that follows is then empty
  double pnl_usd = 0, pnl_ticks_per_step = 0, fees_usd = 0;
  double max_drawdown_usd = 0;
  int64_t trades = 0, wins = 0, ruined = 0;
  double hold_share = 0;      ///< share of steps with an open position
  std::vector<double> action_share;
  double grid_seconds = 0;    ///< of the clock grid that the Sharpe ratio is taken on
  double sharpe = 0;          ///< annualised; NaN where the PnL has no variance ("undefined")
  double annualisation = 0;   ///< factor on the per-grid-step ratio: sqrt(grid steps a year)
  std::vector<double> curve;  ///< equity after each step [USD], in the order of time
  std::vector<int64_t> curve_ts;
  std::optional<PlantedScore> planted;  ///< of the planted market
  std::shared_ptr<const CriticSamples> critics;  ///< if asked for
};

/// Evaluation of the present policy, apart from training, whose state is not touched.
class Evaluation {
 public:
  virtual ~Evaluation() = default;
  /// Declares tensors in the agent's table, as construction does: call before they get memory.
  virtual void record() = 0;
  virtual const compute::Program& program() const = 0;
  virtual void prepare(compute::Compute& compute) = 0;
  virtual EvaluationResult run(compute::Compute& compute, const std::function<void(const Fill&)>& on_fill = {}) = 0;
};

/// Of episodes' returns; the deviation is that of a sample.
struct ReturnStatistics {
  double mean = 0, deviation = 0, least = 0, most = 0;
};
ReturnStatistics statistics(const std::vector<double>& returns);

/// Several lines for people.
std::string to_text(const EvaluationResult& result);

}  // namespace foxhunt::trainer
