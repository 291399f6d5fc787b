#include "dbn_bytes.hpp"
#include "market/market_file.hpp"

namespace foxhunt::market::test {
namespace {

constexpr int64_t kOpen = 1'703'545'200'000'000'000;  // 2023-12-25 23:00 UTC

/// The E-mini S&P 500 day against the facts published with it.
class EsDay : public testing::Test {
 protected:
  void SetUp() override {
    FOXHUNT_DATA(path, "esh4-glbx-mdp3-20231225.mbo.dbn.zst");
    FOXHUNT_DATA(definition, "definition-glbx-es-fut.dbn.zst");
    ImportOptions options;
    options.definition = definition;
    m = import_dbn(path, options, q);
  }
  Market m;
  QualityReport q;
};

TEST_F(EsDay, MeetsThePublishedFacts) {
  EXPECT_EQ(m.instrument.symbol, "ESH4");
  EXPECT_EQ(m.instrument.tick_size, 0.25);
  EXPECT_EQ(m.instrument.multiplier, 50);
  EXPECT_EQ(q.counts.records, 68'792);
  EXPECT_EQ(q.counts.snapshot_records, 8'725);
  EXPECT_EQ(q.rows, 37'064);
  EXPECT_EQ(q.crossed, 143);
  EXPECT_EQ(q.deepest_cross, -94);
  EXPECT_EQ(q.last_crossed_ts, kOpen + 68'972);
  EXPECT_EQ(q.crossed_while_open, 0);
  EXPECT_EQ(q.counts.receive_reversals, 0);
  EXPECT_EQ(q.counts.event_reversals, 0);
  EXPECT_EQ(q.counts.negative_latency, 0);
  EXPECT_EQ(q.row_clock_reversals, 0);
  EXPECT_NEAR(q.spread_share[1], 0.940, 0.0005);
  EXPECT_NEAR(q.spread_share[2], 0.060, 0.0005);
  EXPECT_EQ(q.spread_share[0], 0);
  // The published 0.582 is met from one second after the auction on; with that second it is 0.586.
  EXPECT_NEAR(q.reversal, 0.5858, 0.0001);
  for (size_t i = 0; i < m.ts.size(); ++i)
    if (m.ts[i] <= kOpen + 1'000'068'972) m.flags[i] |= kClosed;
  QualityReport later;
  assess(m, later);
  EXPECT_NEAR(later.reversal, 0.582, 0.0005);
}

TEST_F(EsDay, TheBookIsBuiltWithoutAFault) {
  EXPECT_EQ(q.counts.unknown_orders, 0);
  EXPECT_EQ(q.counts.duplicate_orders, 0);
  EXPECT_EQ(q.counts.oversize_cancels, 0);
  EXPECT_EQ(q.counts.sideless_orders, 0);
  EXPECT_EQ(q.counts.off_tick, 0);
  EXPECT_EQ(q.counts.unfinished_records, 0);
  EXPECT_EQ(q.locked + q.one_sided + q.empty, 0);
}

TEST_F(EsDay, TheGateOpensWhenTheAuctionHasUncrossed) {
  EXPECT_EQ(q.sessions, 1);
  EXPECT_GT(q.first_tradable_ts, q.last_crossed_ts);
  EXPECT_LT(q.first_tradable_ts, kOpen + 1'000'000'000);
  for (int64_t r = 0; r < m.rows(); ++r) {
    const auto i = static_cast<size_t>(r);
    EXPECT_EQ((m.flags[i] & kClosed) != 0, m.ts[i] <= kOpen + 68'972) << r;
    EXPECT_EQ(m.is_tradable(r), m.ts[i] > kOpen + 68'972) << r;
  }
}

TEST_F(EsDay, VolumeIsComplete) {
  // Summed over the T records of the file by other means.
  EXPECT_EQ(q.unsided_volume, 44);
  EXPECT_EQ(q.buy_volume, 5'322);
  EXPECT_EQ(q.sell_volume, 4'526);
  EXPECT_EQ(q.counts.unfinished_volume, 0);
}

TEST_F(EsDay, RoundTripThroughAFile) {
  const Scratch s;
  write_market(s.path("es.h5"), m);
  const Market back = read_market(s.path("es.h5"));
  EXPECT_EQ(back.bid_px, m.bid_px);
  EXPECT_EQ(back.ask_sz, m.ask_sz);
  EXPECT_EQ(back.ts, m.ts);
  EXPECT_EQ(back.flags, m.flags);
  EXPECT_EQ(back.attributes, m.attributes);
  EXPECT_EQ(std::get<int64_t>(back.attributes.at("quality.crossed")), 143);
  EXPECT_TRUE(contains(describe(back), "1 tick 94.0 %, 2 ticks 6.0 %"));
}

}  // namespace
}  // namespace foxhunt::market::test
