#include "dbn_bytes.hpp"
#include "market/quality.hpp"

namespace foxhunt::market::test {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

/// Best bids and asks with sizes, a row at a time; size 1 where not given.
struct Row {
  int64_t seconds;
  int32_t bid, ask;
  uint32_t size = 1;
  uint8_t flags = 0;
  int32_t session = 0;
};

QualityReport of(const std::vector<Row>& rows) {
  Market m;
  m.instrument = {"X", 1, 1, "USD"};
  m.levels = 1;
  m.resize(static_cast<int64_t>(rows.size()));
  for (size_t r = 0; r < rows.size(); ++r) {
    m.ts[r] = m.ts_event[r] = rows[r].seconds * kSecond;
    m.bid_px[r] = rows[r].bid;
    m.ask_px[r] = rows[r].ask;
    m.bid_sz[r] = rows[r].bid == kNoPrice ? 0 : rows[r].size;
    m.ask_sz[r] = rows[r].ask == kNoPrice ? 0 : 1;
    m.flags[r] = static_cast<uint8_t>(rows[r].flags | book_shape(rows[r].bid, rows[r].ask));
    m.session[r] = rows[r].session;
  }
  validate(m, "test");
  QualityReport q;
  assess(m, q);
  return q;
}

TEST(Quality, CountsTheShapesOfTheBook) {
  const auto q = of({{1, 100, 101},
                     {2, 102, 101},
                     {3, 101, 101},
                     {4, kNoPrice, 101},
                     {5, kNoPrice, kNoPrice},
                     {6, 104, 101, 1, kClosed}});
  EXPECT_EQ(q.crossed, 2);
  EXPECT_EQ(q.locked, 1);
  EXPECT_EQ(q.one_sided, 1);
  EXPECT_EQ(q.empty, 1);
  EXPECT_EQ(q.closed, 1);
  EXPECT_EQ(q.deepest_cross, -3);
  EXPECT_EQ(q.crossed_while_open, 1);
  EXPECT_EQ(q.last_crossed_ts, 6 * kSecond);
  EXPECT_EQ(q.tradable, 2);
  EXPECT_EQ(q.first_tradable_ts, kSecond);
}

TEST(Quality, SpreadAndDepthAreWeightedByTime) {
  // 1 tick for 6 s with 10 lots, 2 ticks for 3 s with 20; the crossed row and the last row of a session stand
  // for nothing.
  const auto q = of({{0, 100, 101, 10},
                     {6, 100, 102, 20},
                     {9, 103, 102, 999},
                     {50, 100, 101, 999},
                     {900, 100, 140, 7, 0, 1},
                     {901, 100, 101, 1, 0, 1}});
  EXPECT_DOUBLE_EQ(q.spread_share[1], 0.6);
  EXPECT_DOUBLE_EQ(q.spread_share[2], 0.3);
  EXPECT_DOUBLE_EQ(q.spread_share[10], 0.1);
  EXPECT_DOUBLE_EQ(q.mean_spread, (6 * 1 + 3 * 2 + 40) / 10.0);
  EXPECT_DOUBLE_EQ(q.bid_depth[0].mean, (6 * 10 + 3 * 20 + 7) / 10.0);
  EXPECT_EQ(q.bid_depth[0].p10, 7);
  EXPECT_EQ(q.bid_depth[0].p50, 10);
  EXPECT_EQ(q.bid_depth[0].p90, 20);
}

TEST(Quality, GapsAndClocks) {
  const auto q = of({{100, 1, 2}, {170, 1, 3}, {160, 1, 4}, {9'000, 1, 2, 1, 0, 1}});
  EXPECT_EQ(q.gaps, 1);  // not the pause between sessions
  EXPECT_EQ(q.longest_gap_ns, 70 * kSecond);
  EXPECT_EQ(q.longest_gap_ts, 100 * kSecond);
  EXPECT_EQ(q.row_clock_reversals, 1);
  EXPECT_EQ(q.sessions, 2);
}

TEST(Quality, ReversalsDoNotCrossSessionsOrClosedRows) {
  // Changes +, -, (closed), -, then another session: +, +.
  const auto q = of({{1, 10, 11},
                     {2, 11, 12},
                     {3, 10, 11},
                     {4, 50, 51, 1, kClosed},
                     {5, 9, 10},
                     {6, 20, 21, 1, 0, 1},
                     {7, 21, 22, 1, 0, 1},
                     {8, 22, 23, 1, 0, 1}});
  EXPECT_EQ(q.mid_changes, 5);
  EXPECT_DOUBLE_EQ(q.reversal, 1.0 / 3);
}

TEST(Quality, TextAndAttributes) {
  auto q = of({{0, 100, 101, 10}, {6, 100, 102, 20}, {9, 100, 101}});
  q.notes = {"a note"};
  const std::string text = to_text(q);
  EXPECT_TRUE(contains(text, "1 tick 66.7 %, 2 ticks 33.3 % of the time"));
  EXPECT_TRUE(contains(text, "a note"));
  EXPECT_TRUE(contains(text, "1970-01-01 00:00:09.000000000 UTC"));
  EXPECT_FALSE(contains(text, "records"));  // nothing was imported
  Market m;
  store(q, m);
  EXPECT_EQ(std::get<int64_t>(m.attributes.at("quality.rows")), 3);
  EXPECT_EQ(std::get<std::string>(m.attributes.at("quality.note_0")), "a note");
  EXPECT_FALSE(m.attributes.contains("quality.records"));
}

TEST(Quality, NoTradableTimeIsNoNumber) {
  const auto q = of({{1, kNoPrice, 101}});
  EXPECT_TRUE(contains(to_text(q), "no tradable time\n"));
  EXPECT_FALSE(contains(to_text(q), "goes back")) << "the mid never moved";
  EXPECT_EQ(q.mean_spread, 0);
}

}  // namespace
}  // namespace foxhunt::market::test
