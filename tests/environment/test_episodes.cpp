// How episodes end and begin.
#include <gtest/gtest.h>

#include "rig.hpp"

namespace foxhunt::environment::test {
namespace {

constexpr int kTerminated = 1, kTruncated = 2;

struct Outcome {
  int done, valid;
  double reward, lots, position, pnl;
  int32_t row;
};

Outcome outcome(const Rig& r) {
  return {r.get<uint8_t>(r.done)[0],     r.get<uint8_t>(r.valid)[0],           r.get<float>(r.reward)[0], r.get<double>(r.lots)[0],
          r.get<double>(r.accounts.position)[0], r.get<double>(r.accounts.pnl)[0], r.row()};
}

// Bids 100 101 102 103 104 105, 10 lots, spread 1; two sessions of three rows.
market::Market two_sessions() {
  market::Market m = simple_market({100, 101, 102, 103, 104, 105});
  m.session = {0, 0, 0, 1, 1, 1};
  return m;
}

TEST(SessionEnd, ClosesOutAndTerminates) {
  AccountSettings s;
  s.fee = 1.25;
  Rig rig(feed_of(two_sessions()), s);
  rig.start({0});
  rig.step(kLongHalf);  // 2 at 102 on row 1, mid 101.5
  EXPECT_EQ(outcome(rig).done, 0);
  EXPECT_NEAR(outcome(rig).reward, -1.2, 1e-6);
  rig.step(kLongFull);  // row 2 is the session's last: sells 2 at 102 instead
  const Outcome end = outcome(rig);
  EXPECT_EQ(end.done, kTerminated);
  EXPECT_EQ(end.valid, 1);
  EXPECT_EQ(end.lots, -2);
  EXPECT_EQ(end.position, 0);
  EXPECT_NEAR(end.reward, 1 - 0.2, 1e-6) << "the closing order's price and fee are part of the last reward";
  EXPECT_NEAR(end.pnl, -0.4 * 12.5, 1e-9);
  EXPECT_EQ(end.row, 2) << "the true last observation";
  rig.step(kLongFull);
  const Outcome closing = outcome(rig);
  EXPECT_EQ(closing.done, 0);
  EXPECT_EQ(closing.valid, 0);
  EXPECT_EQ(closing.reward, 0);
  EXPECT_EQ(closing.lots, 0);
  EXPECT_EQ(closing.pnl, end.pnl);
  EXPECT_TRUE(closing.row == 0 || closing.row == 1 || closing.row == 3 || closing.row == 4) << closing.row;
  EXPECT_EQ(rig.cash(), 0);
  EXPECT_EQ(rig.get<int64_t>(rig.accounts.episodes)[0], 1);
}

TEST(DataEnd, ClosesOutAndTruncates) {
  Rig rig(feed_of(two_sessions()), {});
  rig.start({4});
  rig.step(kShortFull);
  const Outcome end = outcome(rig);
  EXPECT_EQ(end.done, kTruncated);
  EXPECT_EQ(end.lots, 0) << "on the last row no position is opened";
  rig.start({3});
  rig.step(kShortFull);
  rig.step(kHold);
  EXPECT_EQ(outcome(rig).done, kTruncated);
  EXPECT_EQ(outcome(rig).lots, 4);
  EXPECT_EQ(outcome(rig).position, 0);
}

TEST(SessionEnd, WhatNobodyShowsInterestInIsPricedAtTheDeepestLevel) {
  market::Market m = empty_market(4, 3);
  m.session = {0, 0, 0, 1};
  for (int64_t r = 0; r < 4; ++r) set_book(m, r, {{100, 9}}, {{101, 9}});
  set_book(m, 2, {{99, 1}, {95, 1}}, {{101, 9}});
  Rig rig(feed_of(m), {});
  rig.start({0});
  rig.step(kLongFull);
  rig.step(kHold);
  EXPECT_EQ(outcome(rig).position, 0);
  EXPECT_EQ(rig.fill_value(), -(99 + 3 * 95));
}

TEST(SessionEnd, ClosesOutBeforeTheBookIsGone) {
  market::Market m = two_sessions();
  set_book(m, 2, {{102, 10}}, {{103, 10}}, market::kClosed);
  Rig rig(feed_of(m), {});
  rig.start({0});
  rig.step(kLongFull);
  EXPECT_EQ(outcome(rig).done, kTerminated) << "row 1 is the last that can be traded on";
  EXPECT_EQ(outcome(rig).position, 0);
}

TEST(StepLimit, TruncatesWithThePositionOpenAndClosesItUnseen) {
  AccountSettings s;
  s.episode_steps = 3;
  Rig rig(feed_of(simple_market({100, 100, 100, 110, 110, 110, 110, 110})), s);
  rig.start({0}, {2});
  rig.step(kLongHalf);  // 2 at 101
  rig.step(kHold);
  const Outcome end = outcome(rig);
  EXPECT_EQ(end.done, kTruncated);
  EXPECT_EQ(end.position, 2) << "V(s') is that of the true last state";
  rig.step(kShortFull);  // sold at 110, not the agent's order
  const Outcome closing = outcome(rig);
  EXPECT_EQ(closing.valid, 0);
  EXPECT_EQ(closing.reward, 0);
  EXPECT_EQ(closing.lots, -2);
  EXPECT_EQ(closing.position, 0);
  EXPECT_NEAR(closing.pnl, 2 * 9 * 12.5, 1e-9) << "PnL counts what the closing earned";
  EXPECT_EQ(rig.get<int32_t>(rig.accounts.steps_left)[0], 3);
  EXPECT_EQ(rig.get<int32_t>(rig.accounts.age)[0], 0);
}

TEST(StepLimit, TheClosingWaitsForABookToTradeOn) {
  AccountSettings s;
  market::Market m = simple_market({100, 100, 105, 105, 110, 110, 110});
  set_book(m, 2, {{105, 10}}, {{106, 10}}, market::kHalted);
  set_book(m, 3, {}, {{106, 10}});
  Rig rig(feed_of(m), s);
  rig.start({0}, {1});
  rig.step(kLongHalf);  // 2 at 101, truncated
  EXPECT_EQ(outcome(rig).done, kTruncated);
  for (const int32_t row : {2, 3}) {
    rig.step(kHold);
    EXPECT_EQ(outcome(rig).valid, 0);
    EXPECT_EQ(outcome(rig).lots, 0);
    EXPECT_EQ(outcome(rig).position, 2);
    EXPECT_EQ(outcome(rig).row, row);
  }
  rig.step(kHold);
  EXPECT_EQ(outcome(rig).lots, -2);
  EXPECT_EQ(rig.fill_value(), -220);
  EXPECT_EQ(outcome(rig).position, 0);
  EXPECT_EQ(rig.get<int64_t>(rig.accounts.episodes)[0], 1);
  rig.step(kHold);
  EXPECT_EQ(outcome(rig).valid, 1);
}

TEST(Ruin, Terminates) {
  AccountSettings s;
  s.loss_limit = 500;  // 40 ticks of a lot
  Rig rig(feed_of(simple_market({100, 100, 91, 91, 80, 80})), s);
  rig.start({0}, {100});
  rig.step(kLongFull);  // 4 at 101
  rig.step(kHold);      // mid 91.5: -38 ticks
  EXPECT_EQ(outcome(rig).done, 0);
  rig.step(kHold);
  EXPECT_EQ(outcome(rig).done, 0);
  rig.step(kHold);  // mid 80.5
  EXPECT_EQ(outcome(rig).done, kTerminated);
  EXPECT_EQ(outcome(rig).position, 4);
  rig.step(kHold);
  EXPECT_EQ(outcome(rig).valid, 0);
  EXPECT_EQ(outcome(rig).position, 0);
  EXPECT_NEAR(outcome(rig).pnl, 4 * (80 - 101) * 12.5, 1e-9);
}

TEST(Ruin, TheLimitItselfIsRuin) {
  for (const auto& [limit, done] : {std::pair{25.0, kTerminated}, std::pair{25.01, 0}}) {
    AccountSettings s;
    s.loss_limit = limit;
    Rig rig(feed_of(simple_market(std::vector<int32_t>(5, 100))), s);
    rig.start({0});
    rig.step(kLongFull);  // 4 x half a tick of spread: 25 USD
    EXPECT_EQ(outcome(rig).done, done) << limit;
  }
}

TEST(Ruin, ComesBeforeTheLimitOfSteps) {
  AccountSettings s;
  s.loss_limit = 1;
  Rig rig(feed_of(simple_market(std::vector<int32_t>(5, 100))), s);
  rig.start({0}, {1});
  rig.step(kLongFull);
  EXPECT_EQ(outcome(rig).done, kTerminated) << "nothing is bootstrapped from a ruined account";
}

TEST(Reset, DrawsEveryStartAboutEquallyOften) {
  AccountSettings s;
  s.accounts = 1000;
  s.episode_steps = 1;
  const Feed feed = feed_of(simple_market(std::vector<int32_t>(21, 100)));
  Rig rig(feed, s);
  rig.start(std::vector<int32_t>(1000, 0), std::vector<int32_t>(1000, 1));
  std::vector<double> count(feed.starts.size(), 0);
  for (int t = 0; t < 40; ++t) {
    rig.step(kHold);
    if (t % 2 == 0) continue;
    for (const int32_t r : rig.get<int32_t>(rig.accounts.row)) count.at(static_cast<size_t>(r)) += 1;
  }
  double chi2 = 0;
  for (const double c : count) chi2 += (c - 1000) * (c - 1000) / 1000;
  EXPECT_LT(chi2, 46) << "20 starts, 19 degrees of freedom: beyond this lies a share of 5e-4";
  EXPECT_GT(chi2, 3);
}

TEST(Reset, AnAccountsNumbersDependOnNobodyElse) {
  const Feed feed = feed_of(random_market(1500, 3, 4));
  const auto run = [&](int64_t accounts, int threads) {
    AccountSettings s;
    s.accounts = accounts;
    s.episode_steps = 17;
    s.fee = 0.7;
    s.loss_limit = 900;
    Rig rig(feed, s, 5, threads);
    std::vector<int32_t> rows, steps;
    for (int32_t i = 0; i < accounts; ++i) rows.push_back(feed.starts[static_cast<size_t>(i * 7) % feed.starts.size()]), steps.push_back(1 + i % 17);
    rig.start(rows, steps);
    std::vector<double> seen;
    for (int32_t t = 0; t < 200; ++t) {
      std::vector<int32_t> action;
      for (int32_t i = 0; i < accounts; ++i) action.push_back((3 * i + 5 * t + t * t / 7) % 9);
      rig.step(action);
      for (const compute::TensorId id : {rig.accounts.pnl, rig.accounts.cash, rig.accounts.position}) {
        const std::vector<double> all = rig.get<double>(id);
        seen.insert(seen.end(), all.begin(), all.begin() + 3);
      }
      const std::vector<int32_t> row = rig.get<int32_t>(rig.accounts.row);
      seen.insert(seen.end(), row.begin(), row.begin() + 3);
    }
    return seen;
  };
  const std::vector<double> three = run(3, 1);
  EXPECT_EQ(three, run(4, 1));
  EXPECT_EQ(three, run(700, 1));
  EXPECT_EQ(three, run(700, 2));
}

}  // namespace
}  // namespace foxhunt::environment::test
