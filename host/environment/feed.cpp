#include "feed.hpp"

#include <algorithm>
#include <cmath>
#include <foxhunt/error.hpp>

namespace foxhunt::environment {

namespace {

using market::Market;

// Features of one row before scaling; NaN marks an absent level.
void raw_features(const Market& m, int64_t row, double mark, double* out) {
  const int64_t base = row * m.levels;
  for (int64_t l = 0; l < m.levels; ++l) {
    const auto at = static_cast<size_t>(base + l);
    out[l] = m.bid_px[at] == market::kNoPrice ? NAN : m.bid_px[at] - mark;
    out[m.levels + l] = std::log1p(static_cast<double>(m.bid_sz[at]));
    out[2 * m.levels + l] = m.ask_px[at] == market::kNoPrice ? NAN : m.ask_px[at] - mark;
    out[3 * m.levels + l] = std::log1p(static_cast<double>(m.ask_sz[at]));
  }
  const double bid = m.bid_sz[static_cast<size_t>(base)], ask = m.ask_sz[static_cast<size_t>(base)];
  out[4 * m.levels] = bid + ask > 0 ? (bid - ask) / (bid + ask) : 0;
  out[4 * m.levels + 1] = m.two_sided(row) ? m.spread(row) : NAN;
}

// Twice the mid of the last row on which it was valid; rows before the first valid one take that one's.
std::vector<int32_t> marks(const Market& m, RowRange rows) {
  std::vector<int32_t> mark2(static_cast<size_t>(rows.size()), 0);
  bool found = false;
  int64_t first = rows.first;
  for (int64_t r = rows.first; r < rows.last; ++r) {
    const auto at = static_cast<size_t>(r - rows.first);
    if (m.is_tradable(r)) {
      const int64_t sum = static_cast<int64_t>(m.best_bid(r)) + m.best_ask(r);
      if (sum > INT32_MAX || sum < INT32_MIN)
        throw Error("row " + std::to_string(r) + " has prices of more than 2^30 ticks; import the market with a larger tick size");
      mark2[at] = static_cast<int32_t>(sum);
      if (!found) first = r;
      found = true;
    } else if (found) {
      mark2[at] = mark2[at - 1];
    }
  }
  if (found) std::fill(mark2.begin(), mark2.begin() + (first - rows.first), mark2[static_cast<size_t>(first - rows.first)]);
  return mark2;
}

void lead_rows_on(const Market& m, RowRange rows, const FeedOptions& options, Feed& feed) {
  std::vector<int64_t> bounds = options.segments;
  bounds.push_back(rows.last);
  std::sort(bounds.begin(), bounds.end());
  const auto latency_ns = static_cast<int64_t>(std::llround(options.latency_us * 1000.0));
  int64_t next = rows.first;
  for (int64_t r = rows.first; r < rows.last; ++r) {
    const auto at = static_cast<size_t>(r - rows.first);
    next = std::max(next, r + 1);
    while (next < rows.last && m.ts[static_cast<size_t>(next)] < m.ts[static_cast<size_t>(r)] + latency_ns) ++next;
    const int64_t bound = *std::upper_bound(bounds.begin(), bounds.end(), r);
    const int64_t reached = std::min(next, rows.last - 1);
    if (next >= bound || m.session[static_cast<size_t>(reached)] != m.session[static_cast<size_t>(r)]) {
      const bool data = next >= rows.last && m.session[static_cast<size_t>(reached)] == m.session[static_cast<size_t>(r)];
      feed.row_end[at] = data && options.segments.empty() ? kEndsData : kEndsSession;
    } else {
      feed.next_row[at] = static_cast<int32_t>(next - rows.first);
    }
  }
  // An account is closed out on the last row with a book to trade on: rows that lead to none any more are ends.
  for (auto at = static_cast<size_t>(rows.size()); at-- > 0;) {
    if (feed.next_row[at] < 0) continue;
    const auto to = static_cast<size_t>(feed.next_row[at]);
    if (feed.tradable[to] || feed.row_end[to] == kRuns) continue;
    feed.row_end[at] = feed.row_end[to];
    feed.next_row[at] = -1;
  }
}

void fill_session_left(const Market& m, RowRange rows, Feed& feed) {
  if (m.source == "planted" || m.source == "synthetic") return;
  const int64_t all = m.rows();
  int64_t start = rows.first;
  while (start > 0 && m.session[static_cast<size_t>(start - 1)] == m.session[static_cast<size_t>(rows.first)]) --start;
  for (int64_t r = start; r < rows.last;) {
    int64_t end = r;
    while (end < all && m.session[static_cast<size_t>(end)] == m.session[static_cast<size_t>(r)]) ++end;
    const double opens = static_cast<double>(m.ts[static_cast<size_t>(r)]);
    const double length = static_cast<double>(m.ts[static_cast<size_t>(end - 1)]) - opens;
    for (int64_t k = std::max(r, rows.first); k < std::min(end, rows.last); ++k)
      feed.session_left[static_cast<size_t>(k - rows.first)] =
          length > 0 ? static_cast<float>(1.0 - (static_cast<double>(m.ts[static_cast<size_t>(k)]) - opens) / length) : 0.0f;
    r = end;
  }
}

}  // namespace

int64_t book_features(int64_t levels) { return 4 * levels + 2; }

std::vector<std::string> book_feature_names(int64_t levels) {
  std::vector<std::string> names;
  for (const char* kind : {"bid_distance_", "bid_size_", "ask_distance_", "ask_size_"})
    for (int64_t l = 0; l < levels; ++l) names.push_back(kind + std::to_string(l));
  names.insert(names.end(), {"imbalance", "spread"});
  return names;
}

FeatureScale fit_scale(const Market& m, RowRange rows) {
  const auto width = static_cast<size_t>(book_features(m.levels));
  std::vector<double> row(width), mean(width, 0), squares(width, 0), count(width, 0);
  const std::vector<int32_t> mark2 = marks(m, rows);
  // Welford's update: one pass, no cancellation.
  for (int64_t r = rows.first; r < rows.last; ++r) {
    if (!m.is_tradable(r)) continue;
    raw_features(m, r, 0.5 * mark2[static_cast<size_t>(r - rows.first)], row.data());
    for (size_t f = 0; f < width; ++f) {
      if (std::isnan(row[f])) continue;
      count[f] += 1;
      const double delta = row[f] - mean[f];
      mean[f] += delta / count[f];
      squares[f] += delta * (row[f] - mean[f]);
    }
  }
  FeatureScale scale{mean, std::vector<double>(width, 0)};
  for (size_t f = 0; f < width; ++f) {
    const double deviation = count[f] > 1 ? std::sqrt(squares[f] / count[f]) : 0;
    scale.inverse_deviation[f] = deviation > 1e-9 ? 1 / deviation : 0;
  }
  return scale;
}

Feed make_feed(const Market& m, RowRange rows, const FeatureScale& scale, const FeedOptions& options) {
  if (rows.size() < 1) throw Error("the " + options.part + " part of the market has no rows");
  Feed feed;
  feed.rows = rows.size();
  feed.levels = m.levels;
  feed.tick_value = m.instrument.tick_size * m.instrument.multiplier;
  const auto n = static_cast<size_t>(feed.rows);
  const auto width = static_cast<size_t>(book_features(m.levels));
  feed.mark2 = marks(m, rows);
  feed.features.resize(n * width);
  feed.session_left.assign(n, 0);
  feed.next_row.assign(n, -1);
  feed.row_end.assign(n, kRuns);
  feed.tradable.resize(n);
  feed.ts.assign(m.ts.begin() + rows.first, m.ts.begin() + rows.last);

  std::vector<double> row(width);
  for (int64_t r = rows.first; r < rows.last; ++r) {
    const auto at = static_cast<size_t>(r - rows.first);
    feed.tradable[at] = m.is_tradable(r);
    raw_features(m, r, 0.5 * feed.mark2[at], row.data());
    for (size_t f = 0; f < width; ++f) {
      const double z = std::isnan(row[f]) ? 0 : (row[f] - scale.mean[f]) * scale.inverse_deviation[f];
      feed.features[at * width + f] = static_cast<float>(std::clamp(z, -10.0, 10.0));
    }
  }
  const auto from = static_cast<size_t>(rows.first * m.levels), to = static_cast<size_t>(rows.last * m.levels);
  feed.bid_px.assign(m.bid_px.begin() + from, m.bid_px.begin() + to);
  feed.ask_px.assign(m.ask_px.begin() + from, m.ask_px.begin() + to);
  // Sizes beyond an int32 are never reached by an order; capping them keeps the device's type small.
  const auto lots = [](uint32_t size) { return static_cast<int32_t>(std::min<uint32_t>(size, INT32_MAX)); };
  feed.bid_sz.resize(to - from);
  feed.ask_sz.resize(to - from);
  std::transform(m.bid_sz.begin() + from, m.bid_sz.begin() + to, feed.bid_sz.begin(), lots);
  std::transform(m.ask_sz.begin() + from, m.ask_sz.begin() + to, feed.ask_sz.begin(), lots);

  lead_rows_on(m, rows, options, feed);
  fill_session_left(m, rows, feed);
  for (int64_t r = 0; r < feed.rows; ++r)
    if (feed.next_row[static_cast<size_t>(r)] >= 0 && feed.tradable[static_cast<size_t>(r)])
      feed.starts.push_back(static_cast<int32_t>(r));
  if (feed.starts.empty())
    throw Error("no row of the " + options.part + " part of the market (" + std::to_string(feed.rows) +
                " rows) can be decided on: none is tradable and followed by a tradable row of its session after env.latency = " +
                std::to_string(std::llround(options.latency_us)) +
                " us. Use a longer market, other shares of env.split_train and env.split_validation, or less latency");
  return feed;
}

}  // namespace foxhunt::environment
