#include "market/quality.hpp"

#include <algorithm>

namespace foxhunt::market {
namespace {

struct Weighted {
  uint32_t value;
  double weight;
};

/// Values are reordered. The p-quantile is the least value at or below which a share p of the weight lies.
Depth distribution(std::vector<Weighted>& values) {
  Depth d;
  std::sort(values.begin(), values.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double total = 0, sum = 0;
  for (const Weighted& v : values) {
    total += v.weight;
    sum += v.weight * v.value;
  }
  if (total <= 0) return d;
  d.mean = sum / total;
  const auto quantile = [&](double p) {
    double below = 0;
    for (const Weighted& v : values) {
      below += v.weight;
      if (below >= p * total) return static_cast<double>(v.value);
    }
    return static_cast<double>(values.back().value);
  };
  d.p10 = quantile(0.1);
  d.p50 = quantile(0.5);
  d.p90 = quantile(0.9);
  return d;
}

/// Seconds for which each tradable row stood; 0 for other rows, for the last of a session, and for snapshots,
/// which vendors stamp long before the next event.
std::vector<double> standing_time(const Market& m) {
  std::vector<double> seconds(m.ts.size(), 0.0);
  for (size_t r = 0; r + 1 < m.ts.size(); ++r)
    if (m.is_tradable(static_cast<int64_t>(r)) && !(m.flags[r] & kSnapshot) &&
        m.session[r] == m.session[r + 1] && m.ts[r + 1] > m.ts[r])
      seconds[r] = static_cast<double>(m.ts[r + 1] - m.ts[r]) * 1e-9;
  return seconds;
}

void count_rows(const Market& m, QualityReport& q) {
  q.rows = m.rows();
  q.first_ts = -1;
  q.last_ts = m.ts.back();
  for (int64_t r = 0; r < q.rows; ++r) {
    const auto i = static_cast<size_t>(r);
    const uint8_t f = m.flags[i];
    if (q.first_ts < 0 && (!(f & kSnapshot) || r + 1 == q.rows)) q.first_ts = m.ts[i];
    const auto has = [f](uint8_t bit) { return (f & bit) ? 1 : 0; };
    q.crossed += has(kCrossed);
    q.locked += has(kLocked);
    q.one_sided += has(kOneSided);
    q.empty += has(kEmpty);
    q.halted += has(kHalted);
    q.closed += has(kClosed);
    q.doubtful += has(kDoubtful);
    if (f & kCrossed) {
      q.last_crossed_ts = m.ts[i];
      q.deepest_cross = std::min<int64_t>(q.deepest_cross, m.spread(r));
      if (!(f & kClosed)) ++q.crossed_while_open;
    }
    if (m.is_tradable(r) && q.tradable++ == 0) q.first_tradable_ts = m.ts[i];
    q.buy_volume += m.buy_volume[i];
    q.sell_volume += m.sell_volume[i];
    q.unsided_volume += m.unsided_volume[i];
    if (r == 0) continue;
    const int64_t pause = m.ts[i] - m.ts[i - 1];
    if (pause < 0) ++q.row_clock_reversals;
    if (m.session[i] != m.session[i - 1] || ((m.flags[i - 1] & kSnapshot) && !(f & kSnapshot))) continue;
    if (pause > q.gap_ns) ++q.gaps;
    if (pause > q.longest_gap_ns) {
      q.longest_gap_ns = pause;
      q.longest_gap_ts = m.ts[i - 1];
    }
  }
  q.sessions = m.session.back() + int64_t{1};
}

void measure_mid(const Market& m, QualityReport& q) {
  int64_t previous_mid = 0, previous_change = 0, pairs = 0, reversals = 0;
  int32_t session = -1;
  for (int64_t r = 0; r < m.rows(); ++r) {
    if (!m.is_tradable(r)) continue;
    const int64_t mid = int64_t{m.best_bid(r)} + m.best_ask(r);  // twice the mid, so that it is whole
    if (m.session[static_cast<size_t>(r)] != session) {
      session = m.session[static_cast<size_t>(r)];
      previous_change = 0;
    } else if (mid != previous_mid) {
      const int64_t change = mid - previous_mid;
      ++q.mid_changes;
      if (previous_change != 0) {
        ++pairs;
        if ((change > 0) != (previous_change > 0)) ++reversals;
      }
      previous_change = change;
    }
    previous_mid = mid;
  }
  q.reversal = pairs ? static_cast<double>(reversals) / static_cast<double>(pairs) : 0.0;
}

}  // namespace

void assess(const Market& m, QualityReport& report) {
  QualityReport q;
  q.imported = report.imported;
  q.counts = report.counts;
  q.notes = report.notes;
  q.gap_ns = report.gap_ns;
  if (m.rows() == 0) {
    report = q;
    return;
  }
  count_rows(m, q);
  measure_mid(m, q);

  const std::vector<double> seconds = standing_time(m);
  double total = 0;
  for (int64_t r = 0; r < q.rows; ++r) {
    const double w = seconds[static_cast<size_t>(r)];
    if (w == 0) continue;
    const int32_t spread = m.spread(r);
    total += w;
    q.mean_spread += w * spread;
    q.spread_share[static_cast<size_t>(std::min(spread, QualityReport::kSpreadBins))] += w;
  }
  if (total > 0) {
    q.mean_spread /= total;
    for (double& share : q.spread_share) share /= total;
  }
  std::vector<Weighted> values;
  for (const bool bid : {true, false})
    for (int64_t l = 0; l < m.levels; ++l) {
      values.clear();
      for (int64_t r = 0; r < q.rows; ++r)
        if (const double w = seconds[static_cast<size_t>(r)]; w > 0)
          values.push_back({(bid ? m.bid_sz : m.ask_sz)[static_cast<size_t>(r * m.levels + l)], w});
      (bid ? q.bid_depth : q.ask_depth).push_back(distribution(values));
    }
  report = q;
}

}  // namespace foxhunt::market
