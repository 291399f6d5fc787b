#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "document.hpp"
#include "schema.hpp"

namespace foxhunt::diagnostics {

/// An equity curve in numbers.
struct EquitySummary {
  std::int64_t steps = 0;           ///< points - 1
  double pnl_usd = 0;               ///< last - first
  double peak_usd = 0;              ///< highest gain since the first point, >= 0
  double max_drawdown_usd = 0;      ///< largest fall from an earlier high, >= 0
  std::int64_t drawdown_begin = 0;  ///< point of that high
  std::int64_t drawdown_end = 0;    ///< point of the low after it
  double mean_step_usd = 0;
  double std_step_usd = 0;  ///< over steps, n - 1 below the line; NaN for less than two steps
  double sharpe_step = 0;   ///< mean / std, per step and not annualised; NaN where std is 0 or NaN
};

/// @param equity_usd account value before the first and after each step; a curve of no point is all 0 and NaN
EquitySummary summarise_equity(std::span<const double> equity_usd);

/// What summary.json says of one evaluation.
struct Evaluation {
  std::string name;       ///< "test", "validation"
  std::string selection;  ///< how actions were chosen
  std::int64_t accounts = 0;
  std::int64_t trades = 0;
  double win_rate = 0;
  double fees_usd = 0;
  std::vector<double> action_share;  ///< [N]
  EquitySummary equity;              ///< summed over the accounts
};

/// Content of summary.json: where the run ended, its last metrics, its evaluations.
struct Summary {
  std::int64_t iterations = 0;
  std::int64_t env_steps = 0;
  double wall_s = 0;
  double env_steps_per_s = 0;
  std::string verdict;
  std::vector<Evaluation> evaluations;
};
Document to_document(const Summary& summary, const Row* last_metrics);

}  // namespace foxhunt::diagnostics
