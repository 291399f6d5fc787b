#include "performance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foxhunt::trainer {

namespace {

// Changes of a curve between the points of a clock grid; the curve keeps each value until the next time. What is
// left of an unfinished last grid step is left out.
std::vector<double> grid_changes(const std::vector<double>& curve, const std::vector<int64_t>& clock, double grid_seconds) {
  const auto grid = static_cast<int64_t>(grid_seconds * 1e9);
  std::vector<double> changes;
  double at_grid = 0, last = 0;
  int64_t next = grid;
  const auto pass = [&] {
    changes.push_back(last - at_grid);
    at_grid = last;
    next += grid;
  };
  for (size_t i = 0; i < curve.size(); ++i) {
    while (clock[i] > next) pass();
    last = curve[i];
  }
  if (!clock.empty() && clock.back() == next) pass();
  return changes;
}

// The longest of 1 s, 10 s, 1 min, 5 min that leaves at least 100 grid steps of trading time.
double choose_grid(double seconds) {
  for (const double grid : {300.0, 60.0, 10.0})
    if (seconds / grid >= 100) return grid;
  return 1;
}

}  // namespace

double seconds_a_year(const market::Market& m) {
  if (m.source == "planted" || m.source == "synthetic") return 365.25 * 86400;
  double seconds = 0;
  int64_t sessions = 0;
  for (int64_t r = 0, begin = 0; r < m.rows(); ++r) {
    const bool last = r + 1 == m.rows() || m.session[static_cast<size_t>(r + 1)] != m.session[static_cast<size_t>(r)];
    if (!last) continue;
    seconds += static_cast<double>(m.ts[static_cast<size_t>(r)] - m.ts[static_cast<size_t>(begin)]) * 1e-9;
    ++sessions;
    begin = r + 1;
  }
  return sessions > 0 ? 252 * seconds / static_cast<double>(sessions) : 0;
}

double sharpe_ratio(const std::vector<double>& changes, double grid_seconds, double year_seconds) {
  const auto n = static_cast<double>(changes.size());
  if (changes.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0, squares = 0;
  for (const double c : changes) mean += c / n;
  for (const double c : changes) squares += (c - mean) * (c - mean) / (n - 1);
  if (!(squares > 0)) return std::numeric_limits<double>::quiet_NaN();
  return mean / std::sqrt(squares) * std::sqrt(year_seconds / grid_seconds);
}

EvaluationResult AccountPaths::summarise(double tick_value, double year_seconds) const {
  EvaluationResult result;
  result.accounts = static_cast<int64_t>(paths_.size());
  result.action_share.assign(environment::kActions, 0);
  double base = 0, peak = 0, held = 0;
  // Trading time: the segments follow one another without the gaps between them.
  std::vector<int64_t> clock;
  int64_t elapsed = 0;
  for (size_t a = 0; a < paths_.size(); ++a) {
    double position = 0, entry = 0;
    for (const Step& s : paths_[a]) {
      result.fees_usd += s.fee;
      if (s.action != kClosing) {
        result.steps += 1;
        result.action_share[static_cast<size_t>(s.action)] += 1;
      }
      if (position * s.lots < 0) {
        const double closed = std::min(std::abs(position), std::abs(s.lots)), price = s.value / s.lots;
        result.trades += 1;
        const double fee_a_lot = s.fee / std::abs(s.lots);
        result.wins += closed * ((position > 0 ? price - entry : entry - price) * tick_value - 2 * fee_a_lot) > 0;
      }
      if (s.lots != 0) {
        const double now = position + s.lots, price = s.value / s.lots;
        if (now == 0) entry = 0;
        else if (position * now <= 0) entry = price;
        else if (position * s.lots > 0) entry = (entry * position + price * s.lots) / now;
        position = now;
      }
      held += s.action != kClosing && position != 0;
      const double equity = base + s.equity;
      peak = std::max(peak, equity);
      result.max_drawdown_usd = std::max(result.max_drawdown_usd, peak - equity);
      result.curve.push_back(equity);
      result.curve_ts.push_back(s.ts);
      clock.push_back(elapsed + s.ts - begins_[a]);
    }
    if (paths_[a].empty()) continue;
    base += paths_[a].back().equity;
    elapsed = clock.back();
    result.ruined += ruined_[a];
  }
  result.pnl_usd = base;
  const auto steps = static_cast<double>(result.steps);
  if (result.steps > 0) {
    result.pnl_ticks_per_step = base / tick_value / steps;
    result.hold_share = held / steps;
    for (double& share : result.action_share) share /= steps;
  }
  result.grid_seconds = choose_grid(static_cast<double>(elapsed) * 1e-9);
  result.annualisation = std::sqrt(year_seconds / result.grid_seconds);
  result.sharpe = sharpe_ratio(grid_changes(result.curve, clock, result.grid_seconds), result.grid_seconds, year_seconds);
  return result;
}

}  // namespace foxhunt::trainer
