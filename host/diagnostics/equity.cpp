#include "equity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foxhunt::diagnostics {

EquitySummary summarise_equity(std::span<const double> equity) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EquitySummary result{.std_step_usd = kNan, .sharpe_step = kNan};
  if (equity.size() < 2) return result;
  const auto steps = equity.size() - 1;
  result.steps = static_cast<std::int64_t>(steps);
  result.pnl_usd = equity.back() - equity.front();
  result.mean_step_usd = result.pnl_usd / static_cast<double>(steps);
  double squares = 0;
  std::size_t high = 0;
  for (std::size_t i = 1; i < equity.size(); ++i) {
    const double off = equity[i] - equity[i - 1] - result.mean_step_usd;
    squares += off * off;
    if (equity[i] > equity[high]) high = i;
    if (const double fall = equity[high] - equity[i]; fall > result.max_drawdown_usd) {
      result.max_drawdown_usd = fall;
      result.drawdown_begin = static_cast<std::int64_t>(high);
      result.drawdown_end = static_cast<std::int64_t>(i);
    }
    result.peak_usd = std::max(result.peak_usd, equity[i] - equity[0]);
  }
  if (steps < 2) return result;
  result.std_step_usd = std::sqrt(squares / static_cast<double>(steps - 1));
  if (result.std_step_usd > 0) result.sharpe_step = result.mean_step_usd / result.std_step_usd;
  return result;
}

Document to_document(const Summary& summary, const Row* last_metrics) {
  Document document;
  document.add("iterations", summary.iterations)
      .add("env_steps", summary.env_steps)
      .add("wall_s", summary.wall_s)
      .add("env_steps_per_s", summary.env_steps_per_s)
      .add("verdict", summary.verdict);
  Document evaluations;
  for (const Evaluation& one : summary.evaluations) {
    const EquitySummary& equity = one.equity;
    evaluations.add(one.name, Document()
                                  .add("selection", one.selection)
                                  .add("accounts", one.accounts)
                                  .add("steps", equity.steps)
                                  .add("pnl_usd", equity.pnl_usd)
                                  .add("peak_usd", equity.peak_usd)
                                  .add("max_drawdown_usd", equity.max_drawdown_usd)
                                  .add("drawdown_begin", equity.drawdown_begin)
                                  .add("drawdown_end", equity.drawdown_end)
                                  .add("mean_step_usd", equity.mean_step_usd)
                                  .add("std_step_usd", equity.std_step_usd)
                                  .add("sharpe_step", equity.sharpe_step)
                                  .add("trades", one.trades)
                                  .add("win_rate", one.win_rate)
                                  .add("fees_usd", one.fees_usd)
                                  .add("action_share", one.action_share));
  }
  document.add("evaluations", evaluations);
  if (last_metrics) {
    Document metrics;
    for (std::size_t place = 0; place < last_metrics->schema().size(); ++place)
      metrics.add(last_metrics->schema().name_of(place), last_metrics->at(place));
    document.add("last_metrics", metrics);
  }
  return document;
}

}  // namespace foxhunt::diagnostics
