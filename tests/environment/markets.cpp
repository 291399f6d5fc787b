#include "markets.hpp"

#include <random>

namespace foxhunt::environment::test {

market::Market empty_market(int64_t rows, int64_t levels) {
  market::Market m;
  m.source = "dbn";
  m.levels = levels;
  m.instrument = {"TEST", 0.25, 50, "USD"};
  m.resize(rows);
  for (int64_t r = 0; r < rows; ++r) m.ts[static_cast<size_t>(r)] = m.ts_event[static_cast<size_t>(r)] = r * 1'000'000'000;
  return m;
}

void set_book(market::Market& m, int64_t row, const Side& bids, const Side& asks, int flags) {
  for (int64_t l = 0; l < m.levels; ++l) {
    const auto at = static_cast<size_t>(row * m.levels + l), level = static_cast<size_t>(l);
    const auto none = std::pair<int32_t, uint32_t>{market::kNoPrice, 0};
    std::tie(m.bid_px[at], m.bid_sz[at]) = level < bids.size() ? bids[level] : none;
    std::tie(m.ask_px[at], m.ask_sz[at]) = level < asks.size() ? asks[level] : none;
  }
  m.flags[static_cast<size_t>(row)] = static_cast<uint8_t>(market::book_shape(m.best_bid(row), m.best_ask(row)) | flags);
}

market::Market simple_market(const std::vector<int32_t>& bids, uint32_t size) {
  market::Market m = empty_market(static_cast<int64_t>(bids.size()), 1);
  for (size_t r = 0; r < bids.size(); ++r) set_book(m, static_cast<int64_t>(r), {{bids[r], size}}, {{bids[r] + 1, size}});
  return m;
}

market::Market random_market(int64_t rows, int64_t levels, uint64_t seed, int32_t mid) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
  market::Market m = empty_market(rows, levels);
  int64_t ts = 0, session_left = 60;
  int32_t bid = mid, session = 0;
  for (int64_t r = 0; r < rows; ++r) {
    if (session_left-- == 0) {
      session_left = 20 + below(80);
      ++session;
      ts += 3'600'000'000'000;
    }
    ts += 100'000 * below(21);
    bid += below(5) - 2;
    const int kind = below(40);
    Side bids, asks;
    int32_t b = bid, a = kind == 0 ? bid - 1 : bid + 1 + below(3);  // kind 0: crossed
    const int32_t shown_bids = kind == 1 || kind == 2 ? 0 : 1 + below(static_cast<uint64_t>(levels));
    const int32_t shown_asks = kind == 2 || kind == 3 ? 0 : 1 + below(static_cast<uint64_t>(levels));
    for (int32_t l = 0; l < shown_bids; ++l, b -= 1 + below(2)) bids.emplace_back(b, 1 + below(4));
    for (int32_t l = 0; l < shown_asks; ++l, a += 1 + below(2)) asks.emplace_back(a, 1 + below(4));
    // The ends of sessions are closed more often than not.
    const bool closed = kind == 4 || (session_left < 3 && below(2) == 0);
    set_book(m, r, bids, asks, (closed ? market::kClosed : 0) | (kind == 5 ? market::kHalted : 0) | (kind == 6 ? market::kDoubtful : 0));
    m.ts[static_cast<size_t>(r)] = m.ts_event[static_cast<size_t>(r)] = ts;
    m.session[static_cast<size_t>(r)] = session;
  }
  market::validate(m, "random market");
  return m;
}

FeatureScale no_scale(int64_t levels) {
  const auto n = static_cast<size_t>(book_features(levels));
  return {std::vector<double>(n, 0), std::vector<double>(n, 1)};
}

Feed feed_of(const market::Market& m, double latency_us, const std::vector<int64_t>& segments) {
  return make_feed(m, {0, m.rows()}, no_scale(m.levels), {latency_us, segments});
}

}  // namespace foxhunt::environment::test
