// What accounts are marked at.
#include <gtest/gtest.h>

#include "markets.hpp"

namespace foxhunt::environment::test {
namespace {

TEST(Marks, AreTheLastValidMidAndNeverOneFromABadBook) {
  market::Market m = empty_market(8, 2);
  set_book(m, 0, {}, {{105, 1}});                                   // before any mid: the first one's
  set_book(m, 1, {{100, 1}}, {{101, 1}});                           // 100.5
  set_book(m, 2, {{100, 1}}, {});                                   // one-sided
  set_book(m, 3, {{200, 1}}, {{100, 1}});                           // crossed
  set_book(m, 4, {{300, 1}}, {{304, 1}}, market::kHalted);
  set_book(m, 5, {{102, 1}}, {{102, 1}});                           // locked can be traded on
  set_book(m, 6, {}, {});
  set_book(m, 7, {{-5, 1}}, {{-2, 1}});                             // a spread's price may be below 0
  EXPECT_EQ(feed_of(m).mark2, (std::vector<int32_t>{201, 201, 201, 201, 201, 204, 204, -7}));
  EXPECT_EQ(feed_of(m).tradable, (std::vector<uint8_t>{0, 1, 0, 0, 0, 1, 0, 1}));
}

TEST(Marks, OfAPartDependOnNoEarlierPart) {
  market::Market m = simple_market({100, 100, 200, 200, 200});
  set_book(m, 2, {}, {{900, 1}});
  const Feed feed = make_feed(m, {2, 5}, no_scale(1), {});
  EXPECT_EQ(feed.mark2, (std::vector<int32_t>{401, 401, 401}));
}

TEST(Marks, PricesNoInt32CanDoubleAreRefused) {
  market::Market m = simple_market({100, market::kMaxTicks - 1, 100});
  EXPECT_EQ(feed_of(m).mark2[1], INT32_MAX);
  set_book(m, 1, {{market::kMaxTicks, 1}}, {{market::kMaxTicks, 1}});  // locked
  EXPECT_NE(error_of([&] { feed_of(m); }).find("row 1"), std::string::npos);
}

TEST(Sizes, BeyondAnInt32AreCapped) {
  market::Market m = simple_market({100, 100, 100}, UINT32_MAX);
  EXPECT_EQ(feed_of(m).bid_sz, std::vector<int32_t>(3, INT32_MAX));
}

TEST(TickValue, IsTickTimesMultiplier) { EXPECT_EQ(feed_of(simple_market({1, 2, 3})).tick_value, 12.5); }

}  // namespace
}  // namespace foxhunt::environment::test
