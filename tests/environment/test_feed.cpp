// Which row an order decided on a row is filled from, and where accounts must end.
#include <gtest/gtest.h>

#include "markets.hpp"

namespace foxhunt::environment::test {
namespace {

using Rows = std::vector<int32_t>;
using Ends = std::vector<uint8_t>;

market::Market at_times(const std::vector<int64_t>& us) {
  market::Market m = simple_market(std::vector<int32_t>(us.size(), 100));
  for (size_t r = 0; r < us.size(); ++r) m.ts[r] = us[r] * 1000;
  return m;
}

TEST(NextRow, IsNeverTheSameSnapshotEvenAtLatencyZero) {
  // Rows 1 to 3 share a time stamp: the order still meets a later snapshot.
  const Feed feed = feed_of(at_times({0, 10, 10, 10, 20}));
  EXPECT_EQ(feed.next_row, (Rows{1, 2, 3, 4, -1}));
  EXPECT_EQ(feed.row_end, (Ends{kRuns, kRuns, kRuns, kRuns, kEndsData}));
}

TEST(NextRow, IsTheFirstAtOrAfterTheLatency) {
  const market::Market m = at_times({0, 1, 10, 11, 11, 21});
  EXPECT_EQ(feed_of(m, 10).next_row, (Rows{2, 3, 5, 5, 5, -1}));
  EXPECT_EQ(feed_of(m, 11).next_row, (Rows{3, 5, 5, -1, -1, -1}));
  EXPECT_EQ(feed_of(m, 11).row_end, (Ends{kRuns, kRuns, kRuns, kEndsData, kEndsData, kEndsData}));
}

TEST(NextRow, StaysInTheSession) {
  market::Market m = at_times({0, 1, 2, 3, 4, 5});
  m.session = {0, 0, 0, 1, 1, 1};
  const Feed feed = feed_of(m, 2);
  EXPECT_EQ(feed.next_row, (Rows{2, -1, -1, 5, -1, -1}));
  EXPECT_EQ(feed.row_end, (Ends{kRuns, kEndsSession, kEndsSession, kRuns, kEndsData, kEndsData}));
}

TEST(NextRow, LatencyPastTheEndOfTheDataIsStillTheEndOfTheEarlierSession) {
  market::Market m = at_times({0, 1, 2, 3});
  m.session = {0, 0, 0, 1};
  EXPECT_EQ(feed_of(m, 2).row_end, (Ends{kRuns, kEndsSession, kEndsSession, kEndsData}));
}

TEST(NextRow, ASegmentEndsLikeASession) {
  const Feed feed = feed_of(at_times({0, 1, 2, 3, 4, 5}), 0, {0, 3});
  EXPECT_EQ(feed.next_row, (Rows{1, 2, -1, 4, 5, -1}));
  EXPECT_EQ(feed.row_end, (Ends{kRuns, kRuns, kEndsSession, kRuns, kRuns, kEndsSession}));
}

TEST(NextRow, ASessionEndsOnItsLastBookToTradeOn) {
  market::Market m = at_times({0, 1, 2, 3, 4, 5, 6});
  m.session = {0, 0, 0, 0, 0, 1, 1};
  set_book(m, 1, {}, {{101, 5}});                                   // one-sided amid the session: walked over
  set_book(m, 3, {{100, 5}}, {{101, 5}}, market::kClosed);          // nothing follows that could be traded on
  set_book(m, 4, {}, {});
  const Feed feed = feed_of(m);
  EXPECT_EQ(feed.next_row, (Rows{1, 2, -1, -1, -1, 6, -1}));
  EXPECT_EQ(feed.row_end, (Ends{kRuns, kRuns, kEndsSession, kEndsSession, kEndsSession, kRuns, kEndsData}));
  EXPECT_EQ(feed.starts, (Rows{0, 5})) << "an episode starts on a book to trade on that leads to another";
}

TEST(NextRow, AgreesWithABruteForceSearchOnRandomMarkets) {
  for (const double latency : {0.0, 100.0, 1500.0, 20'000.0}) {
    const market::Market m = random_market(3000, 3, 11);
    // A part in the middle: rows are counted from its first.
    const RowRange part{500, 2500};
    const Feed feed = make_feed(m, part, no_scale(3), {latency});
    const auto ns = static_cast<int64_t>(latency * 1000);
    const auto raw_next = [&](int64_t r) {
      int64_t to = r + 1;
      while (to < part.last && m.ts[static_cast<size_t>(to)] < m.ts[static_cast<size_t>(r)] + ns) ++to;
      return to < part.last && m.session[static_cast<size_t>(to)] == m.session[static_cast<size_t>(r)] ? to : -1;
    };
    int ends = 0;
    for (int64_t r = part.first; r < part.last; ++r) {
      int64_t reach = raw_next(r);
      while (reach >= 0 && !m.is_tradable(reach)) reach = raw_next(reach);
      const auto at = static_cast<size_t>(r - part.first);
      ASSERT_EQ(feed.next_row[at], reach < 0 ? -1 : raw_next(r) - part.first) << "row " << r << ", latency " << latency;
      ASSERT_EQ(feed.row_end[at] == kRuns, reach >= 0) << "row " << r;
      const bool last_session = m.session[static_cast<size_t>(r)] == m.session[static_cast<size_t>(part.last - 1)];
      if (reach < 0) {
        ASSERT_EQ(feed.row_end[at], last_session ? kEndsData : kEndsSession) << "row " << r;
      }
      ends += reach < 0;
    }
    EXPECT_GT(ends, 30);
  }
}

TEST(Feed, RefusesAPartThatCannotBeTraded) {
  market::Market m = simple_market({100, 101, 102});
  FeedOptions options;
  options.part = "test";
  EXPECT_NE(error_of([&] { make_feed(m, {1, 1}, no_scale(1), options); }).find("test part"), std::string::npos);
  options.latency_us = 5e6;
  const std::string slow = error_of([&] { make_feed(m, {0, 3}, no_scale(1), options); });
  EXPECT_NE(slow.find("test part"), std::string::npos) << slow;
  EXPECT_NE(slow.find("env.latency = 5000000 us"), std::string::npos) << slow;
  for (int64_t r = 0; r < 3; ++r) set_book(m, r, {{100, 1}}, {{101, 1}}, market::kHalted);
  EXPECT_NE(error_of([&] { feed_of(m); }).find("can be decided on"), std::string::npos);
}

TEST(Feed, AccountsNeverStartOnOrAreLedToAnEndWithoutABook) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Feed feed = feed_of(random_market(2000, 2, seed), 700);
    for (const int32_t s : feed.starts) ASSERT_TRUE(feed.tradable[static_cast<size_t>(s)] && feed.next_row[static_cast<size_t>(s)] > s);
    for (int32_t r = 0; r < feed.rows; ++r) {
      const int32_t to = feed.next_row[static_cast<size_t>(r)];
      if (to >= 0) {
        ASSERT_TRUE(feed.row_end[static_cast<size_t>(to)] == kRuns || feed.tradable[static_cast<size_t>(to)]);
      }
    }
  }
}

}  // namespace
}  // namespace foxhunt::environment::test
