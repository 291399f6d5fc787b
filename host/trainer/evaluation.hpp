#pragma once
#include <functional>
#include <string>
#include <vector>

#include "agent.hpp"

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

/// What a policy did on a part of the market that it was not trained on.
struct EvaluationResult {
  std::string part;           ///< "validation", "test"
  int64_t accounts = 0, steps = 0, rows = 0;
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
};

/// Evaluation of the present policy on one part of the market. The part is cut into one segment an account; each
/// account walks its segment once, starts flat and is closed out at its end or when it is ruined, so the curve joined
/// in time is that of one account walking the whole part. Training state is not touched.
class Evaluation {
 public:
  /// Declares tensors in the agent's table: call before they get memory.
  Evaluation(Agent& agent, const market::Market& market, const environment::FeatureScale& scale, std::string part,
             environment::RowRange rows);
  /// Declares its working memory as well: also before.
  void record();
  const compute::Program& program() const { return program_; }
  void prepare(compute::Compute& compute);
  EvaluationResult run(compute::Compute& compute, const std::function<void(const Fill&)>& on_fill = {});

 private:
  Agent& agent_;
  std::string part_, prefix_;
  int64_t first_row_ = 0, accounts_count_ = 0;
  double year_seconds_ = 0;
  environment::Feed feed_;
  environment::FeedTensors feed_tensors_;
  environment::Accounts accounts_;
  std::unique_ptr<agent::Encoder::Pass> pass_;
  std::vector<int32_t> start_rows_;
  compute::TensorId x_, h_, logits_, action_, log_prob_, target_, sized_, scale_, reward_, done_, valid_, fill_row_,
      fill_lots_, fill_value_, equity_, step_;
  compute::Program program_;
  std::unique_ptr<compute::Executable> executable_;
};

/// Several lines for people.
std::string to_text(const EvaluationResult& result);

}  // namespace foxhunt::trainer
