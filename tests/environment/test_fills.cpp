// How one order is filled, by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rig.hpp"

namespace foxhunt::environment::test {
namespace {

// Ten rows of a deep book: bids 100 98 97, asks 101 103 104, sizes 2 1 5.
market::Market deep_market() {
  market::Market m = empty_market(10, 3);
  for (int64_t r = 0; r < 10; ++r) set_book(m, r, {{100, 2}, {98, 1}, {97, 5}}, {{101, 2}, {103, 1}, {104, 5}});
  return m;
}

TEST(Fills, WalkTheLevels) {
  Rig rig(feed_of(deep_market()), {});
  rig.start({0});
  rig.step(kLongFull);
  EXPECT_EQ(rig.position(), 4);
  EXPECT_EQ(rig.fill_value(), 2 * 101 + 103 + 104);
  EXPECT_EQ(rig.cash(), -409 * 12.5);
  EXPECT_EQ(rig.get<double>(rig.accounts.entry_price)[0], 409 / 4.0);
  EXPECT_EQ(rig.get<int32_t>(rig.fill_row)[0], 1) << "not the row of the decision";
  rig.step(kFullFlat);
  EXPECT_EQ(rig.position(), 0);
  EXPECT_EQ(rig.fill_value(), -(2 * 100 + 98 + 97));
  EXPECT_EQ(rig.cash(), (395 - 409) * 12.5);
}

TEST(Fills, WhatTheLevelsDoNotHoldStaysUnfilled) {
  market::Market m = deep_market();
  set_book(m, 1, {{100, 1}}, {{101, 2}, {103, 1}});
  Rig rig(feed_of(m), {});
  rig.start({0});
  rig.step(kLongFull);
  EXPECT_EQ(rig.position(), 3);
  EXPECT_EQ(rig.fill_value(), 305);
  rig.step(kHold);
  EXPECT_EQ(rig.position(), 3) << "the rest was cancelled";
  rig.step(kLongFull);
  EXPECT_EQ(rig.position(), 4);
  EXPECT_EQ(rig.fill_value(), 101);
}

TEST(Fills, NoneOnARowThatCannotBeTraded) {
  for (const int flag : {0, static_cast<int>(market::kHalted), static_cast<int>(market::kClosed), static_cast<int>(market::kDoubtful)}) {
    market::Market m = deep_market();
    if (flag)
      set_book(m, 1, {{100, 2}}, {{101, 2}}, flag);
    else
      set_book(m, 1, {{100, 2}}, {{99, 2}});  // crossed
    Rig rig(feed_of(m), {});
    rig.start({0});
    rig.step(kLongFull);
    EXPECT_EQ(rig.position(), 0);
    EXPECT_EQ(rig.cash(), 0);
    EXPECT_EQ(rig.row(), 1);
  }
}

TEST(Fills, FeesArePerLotAndNotMultiplied) {
  for (const double fee : {2.25, -0.2}) {
    AccountSettings s;
    s.fee = fee;
    Rig rig(feed_of(deep_market()), s);
    rig.start({0});
    rig.step(kLongFull);
    rig.step(kShortSmall);
    EXPECT_DOUBLE_EQ(rig.get<double>(rig.accounts.fees)[0], 9 * fee);
    EXPECT_DOUBLE_EQ(rig.cash(), (-409 + 200 + 98 + 97 * 2) * 12.5 - 9 * fee);
  }
}

TEST(Fills, AFlipClosesAndOpens) {
  market::Market m = deep_market();
  set_book(m, 2, {{110, 3}, {105, 9}}, {{112, 9}});
  Rig rig(feed_of(m), {});
  rig.start({0});
  rig.step(kLongHalf);   // 2 at 101
  rig.step(kShortFull);  // sells 6: 3 at 110, 3 at 105: average 107.5
  EXPECT_EQ(rig.position(), -4);
  EXPECT_EQ(rig.get<double>(rig.accounts.entry_price)[0], 107.5);
  EXPECT_EQ(rig.get<int64_t>(rig.accounts.trades)[0], 1);
  EXPECT_EQ(rig.get<int64_t>(rig.accounts.wins)[0], 1);
}

TEST(Fills, TheEntryPriceIsTheAverageAndStaysWhenPartIsClosed) {
  market::Market m = deep_market();
  set_book(m, 2, {{109, 9}}, {{110, 9}});
  Rig rig(feed_of(m), {});
  rig.start({0});
  rig.step(kLongSmall);  // 1 at 101
  rig.step(kLongFull);   // 3 at 110
  EXPECT_EQ(rig.get<double>(rig.accounts.entry_price)[0], (101 + 3 * 110) / 4.0);
  rig.step(kLongSmall);
  EXPECT_EQ(rig.get<double>(rig.accounts.entry_price)[0], (101 + 3 * 110) / 4.0);
  rig.step(kFullFlat);
  EXPECT_EQ(rig.get<double>(rig.accounts.entry_price)[0], 0);
}

TEST(Fills, AWinIsAGainAfterTheFeesOfBothSides) {
  // 2 lots gain 4 ticks, 50 USD: fees of 2 x 2 x 12 leave a gain, of 2 x 2 x 12.5 none.
  for (const auto& [fee, wins] : {std::pair{12.0, 1}, std::pair{12.5, 0}, std::pair{13.0, 0}}) {
    market::Market m = deep_market();
    for (int64_t r = 2; r < 10; ++r) set_book(m, r, {{103, 9}}, {{104, 9}});
    AccountSettings s;
    s.fee = fee;
    Rig rig(feed_of(m), s);
    rig.start({0});
    rig.step(kLongHalf);
    rig.step(kFullFlat);
    EXPECT_EQ(rig.get<int64_t>(rig.accounts.trades)[0], 1);
    EXPECT_EQ(rig.get<int64_t>(rig.accounts.wins)[0], wins) << fee;
  }
}

TEST(Targets, OfEveryAction) {
  AccountSettings s;
  s.accounts = kActions;
  Rig rig(feed_of(deep_market()), s);
  const std::vector<int32_t> all{0, 1, 2, 3, 4, 5, 6, 7, 8};
  rig.start(std::vector<int32_t>(9, 0));
  EXPECT_EQ(rig.targets(all), (std::vector<float>{-4, -2, -1, 0, 1, 2, 4, 0, 0}));
  market::Market m = deep_market();
  set_book(m, 1, {{100, 3}}, {{101, 3}});  // 3 lots at most
  Rig three(feed_of(m), s);
  three.start(std::vector<int32_t>(9, 0));
  three.step(kShortFull);
  EXPECT_EQ(three.position(), -3);
  EXPECT_EQ(three.targets(all), (std::vector<float>{-4, -2, -1, -3, 1, 2, 4, -1, 0})) << "half flat truncates";
}

TEST(Targets, HalfFlatTruncatesToWholeLots) {
  const std::vector<std::pair<std::vector<uint32_t>, std::vector<double>>> cases{{{3}, {3, 1, 0, 0}}, {{4}, {4, 2, 1, 0}}};
  for (const auto& [sizes, positions] : cases)
    for (const bool is_long : {true, false}) {
      market::Market m = deep_market();
      set_book(m, 1, {{100, sizes[0]}}, {{101, sizes[0]}});
      Rig rig(feed_of(m), {});
      rig.start({0});
      rig.step(is_long ? kLongFull : kShortFull);
      for (size_t k = 0; k < positions.size(); ++k) {
        EXPECT_EQ(rig.position(), is_long ? positions[k] : -positions[k]);
        rig.step(kHalfFlat);
      }
    }
}

TEST(Sizing, ScalesDirectionsAndNeverHoldOrTheFlatActions) {
  Rig rig(feed_of(deep_market()), {});
  rig.start({0});
  rig.step({kLongFull}, {0.5});
  EXPECT_EQ(rig.position(), 2);
  rig.step({kHold}, {0});
  EXPECT_EQ(rig.position(), 2);
  rig.step({kHold}, {0.5});
  EXPECT_EQ(rig.position(), 2);
  rig.step({kHalfFlat}, {0.1});
  EXPECT_EQ(rig.position(), 1);
  rig.step({kFullFlat}, {1});
  EXPECT_EQ(rig.position(), 0);
}

TEST(Sizing, RoundsToWholeLots) {
  struct Case {
    Rounding rounding;
    double lot, scale, position;
  };
  for (const Case& c : {Case{Rounding::nearest, 1, 0.45, 2}, Case{Rounding::truncate, 1, 0.45, 1}, Case{Rounding::nearest, 1, 0.375, 2},
                        Case{Rounding::nearest, 1, 0.1, 0}, Case{Rounding::none, 1, 0.375, 1.5}, Case{Rounding::nearest, 0.5, 0.3, 1},
                        Case{Rounding::truncate, 0.5, 0.45, 1.5}, Case{Rounding::nearest, 2, 0.8, 4}})
    for (const bool is_long : {true, false}) {
      AccountSettings s;
      s.rounding = c.rounding;
      s.lot = c.lot;
      Rig rig(feed_of(deep_market()), s);
      rig.start({0});
      rig.step({is_long ? kLongFull : kShortFull}, {c.scale});
      EXPECT_EQ(rig.position(), is_long ? c.position : -c.position) << c.lot << " x " << c.scale;
    }
}

TEST(Sizing, ATargetThatIsNoNumberTradesNothingAndAnEndlessOneWhatIsShown) {
  for (const Rounding rounding : {Rounding::none, Rounding::nearest, Rounding::truncate}) {
    AccountSettings s;
    s.rounding = rounding;
    Rig rig(feed_of(deep_market()), s);
    rig.start({0});
    rig.step({kLongHalf});
    rig.step({kLongFull}, {std::numeric_limits<double>::quiet_NaN()});
    EXPECT_EQ(rig.position(), 2);
    EXPECT_EQ(rig.cash(), -202 * 12.5);
    rig.step({kLongFull}, {std::numeric_limits<double>::infinity()});
    EXPECT_EQ(rig.position(), 10) << "8 lots are shown";
    rig.step({kShortFull}, {1e30});
    EXPECT_EQ(rig.position(), 2);
    EXPECT_TRUE(std::isfinite(rig.get<double>(rig.accounts.pnl)[0]));
  }
}

}  // namespace
}  // namespace foxhunt::environment::test
