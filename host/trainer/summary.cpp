#include "summary.hpp"

#include <algorithm>
#include <cmath>

#include "../common/text.hpp"
#include "../diagnostics/sparkline.hpp"
#include "metrics.hpp"

namespace foxhunt::trainer {

namespace {

// At most `count` values, evenly spaced, the last one included.
std::vector<double> thinned(const std::vector<double>& values, size_t count) {
  if (values.size() <= count) return values;
  std::vector<double> some(count);
  for (size_t i = 0; i < count; ++i) some[i] = values[(i + 1) * values.size() / count - 1];
  return some;
}

std::string money(double usd) { return text(usd < 0 ? "-" : "", "$", fixed(std::abs(usd), 2)); }

std::string action_line(const EvaluationResult& r) {
  std::string out = "  actions      ";
  for (size_t a = 0; a < std::min(r.action_share.size(), r.action_names.size()); ++a)
    if (r.action_share[a] >= 0.005) out += text(" ", r.action_names[a], " ", fixed(100 * r.action_share[a], 0), "%");
  return out + "\n";
}

std::string planted_line(const PlantedScore& p) {
  if (!p.unknown.empty()) return text("  of optimum    not known: ", p.unknown, "\n");
  std::string out = text("  of optimum    ", fixed(p.share(), 4), ": ", fixed(p.score.ticks, 4), " +- ", fixed(p.score.error, 4),
                         " ticks a step in the long run, of ", fixed(p.optimum, 4));
  if (p.optimum_error > 0) out += text(" +- ", fixed(p.optimum_error, 4), " (belief over the hidden alpha)");
  return out + "\n";
}

diagnostics::Document planted_document(const PlantedScore& p) {
  diagnostics::Document d;
  if (!p.unknown.empty()) return d.add("unknown", p.unknown);
  d.add("share_of_optimum", p.share()).add("score_ticks_per_step", p.score.ticks).add("score_error", p.score.error);
  return d.add("optimum_ticks_per_step", p.optimum).add("optimum_error", p.optimum_error);
}

std::string episodes_text(const EvaluationResult& r) {
  const ReturnStatistics s = statistics(r.returns);
  return text(r.part, ": ", r.returns.size(), " episodes, ", r.steps, " steps\n", "  return        ", fixed(s.mean, 2), " mean, ",
              fixed(s.deviation, 2), " standard deviation, ", fixed(s.least, 1), " to ", fixed(s.most, 1), "\n", action_line(r));
}

}  // namespace

ReturnStatistics statistics(const std::vector<double>& returns) {
  ReturnStatistics s;
  if (returns.empty()) return s;
  const auto n = static_cast<double>(returns.size());
  for (const double x : returns) s.mean += x / n;
  for (const double x : returns) s.deviation += (x - s.mean) * (x - s.mean);
  s.deviation = returns.size() > 1 ? std::sqrt(s.deviation / (n - 1)) : 0;
  const auto [least, most] = std::minmax_element(returns.begin(), returns.end());
  s.least = *least;
  s.most = *most;
  return s;
}

std::string to_text(const EvaluationResult& r) {
  if (!r.returns.empty()) return episodes_text(r);
  std::string out = text(r.part, " split: ", r.steps, " steps, ", r.accounts, " segments of one walk, each closed out at its end\n");
  out += text("  equity        ", diagnostics::sparkline(thinned(r.curve, 60)), "\n");
  out += text("  PnL           ", money(r.pnl_usd), " net of ", money(r.fees_usd), " fees; ", fixed(r.pnl_ticks_per_step, 4), " ticks a step\n");
  out += text("  max drawdown  ", money(r.max_drawdown_usd), "\n");
  out += std::isfinite(r.sharpe) ? text("  Sharpe        ", fixed(r.sharpe, 2), " annualised (", fixed(r.grid_seconds, 0),
                                        " s clock grid x ", fixed(r.annualisation, 1), ")\n")
                                 : text("  Sharpe        undefined: no variance, or less than two grid steps\n");
  const double won = r.trades ? 100.0 * static_cast<double>(r.wins) / static_cast<double>(r.trades) : 0;
  out += text("  trades        ", r.trades, " closed, ", fixed(won, 1), " % with a gain; in position ", fixed(100 * r.hold_share, 1),
              " % of the steps", r.ruined ? text("; accounts ruined: ", r.ruined) : std::string(), "\n");
  if (r.planted) out += planted_line(*r.planted);
  return out + action_line(r);
}

diagnostics::Document to_document(const EvaluationResult& r) {
  diagnostics::Document d, actions;
  for (size_t a = 0; a < std::min(r.action_share.size(), r.action_names.size()); ++a) actions.add(r.action_names[a], r.action_share[a]);
  if (!r.returns.empty()) {
    const ReturnStatistics s = statistics(r.returns);
    d.add("steps", r.steps).add("episodes", static_cast<int64_t>(r.returns.size()));
    d.add("return_mean", s.mean).add("return_std", s.deviation).add("return_min", s.least).add("return_max", s.most);
    return d.add("action_share", actions);
  }
  d.add("steps", r.steps).add("rows", r.rows).add("segments", r.accounts);
  d.add("pnl_usd", r.pnl_usd).add("pnl_ticks_per_step", r.pnl_ticks_per_step).add("fees_usd", r.fees_usd);
  d.add("max_drawdown_usd", r.max_drawdown_usd).add("trades", r.trades).add("wins", r.wins).add("ruined", r.ruined);
  d.add("in_position_share", r.hold_share);
  d.add("action_share", actions);
  if (r.planted) d.add("planted", planted_document(*r.planted));
  return d.add("sharpe", r.sharpe).add("sharpe_grid_s", r.grid_seconds).add("sharpe_factor", r.annualisation);
}

std::string equity_csv(const std::vector<EvaluationResult>& evaluations) {
  std::string csv = "part,ts,equity_usd,drawdown_usd\n";
  for (const EvaluationResult& r : evaluations) {
    double peak = 0;
    for (size_t i = 0; i < r.curve.size(); ++i) {
      peak = std::max(peak, r.curve[i]);
      csv += text(r.part, ',', r.curve_ts[i], ',', fixed(r.curve[i], 4), ',', fixed(peak - r.curve[i], 4), '\n');
    }
  }
  return csv;
}

diagnostics::Document to_document(const Summary& s, const diagnostics::Row* last) {
  diagnostics::Document d;
  d.add("iterations", s.iterations).add("env_steps", s.env_steps).add("wall_s", s.wall_s);
  d.add("env_steps_per_s", s.env_steps_per_s).add("verdict", s.verdict);
  diagnostics::Document evaluations, metrics;
  for (const EvaluationResult& r : s.evaluations) evaluations.add(r.part, to_document(r));
  d.add("evaluations", evaluations);
  if (last)
    for (size_t p = 0; p < last->schema().size(); ++p) metrics.add(last->schema().name_of(p), last->at(p));
  return d.add("metrics", metrics);
}

}  // namespace foxhunt::trainer
