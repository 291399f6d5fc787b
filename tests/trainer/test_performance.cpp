// A walk in numbers, by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "trainer/performance.hpp"

namespace foxhunt::trainer::test {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr double kYear = 1e6;

AccountPaths::Step at(int64_t second, double equity, double lots = 0, double price = 0, double fee = 0, int32_t action = 3) {
  return {second * kSecond, equity, lots, lots * price, fee, action};
}

TEST(Walk, DrawdownIsTheLargestFallOfTheJoinedCurve) {
  AccountPaths paths({0, 100 * kSecond});
  for (const auto& [second, equity] : std::vector<std::pair<int64_t, double>>{{1, 10}, {2, 5}, {3, 20}, {4, -10}}) paths.add(0, at(second, equity));
  for (const auto& [second, equity] : std::vector<std::pair<int64_t, double>>{{101, -5}, {102, 30}, {103, 25}}) paths.add(1, at(second, equity));
  const EvaluationResult r = paths.summarise(1, kYear);
  EXPECT_EQ(r.curve, (std::vector<double>{10, 5, 20, -10, -15, 20, 15}));
  EXPECT_EQ(r.max_drawdown_usd, 35) << "from 20 in the first segment to -15 in the second";
  EXPECT_EQ(r.pnl_usd, 15);
  EXPECT_EQ(r.steps, 7);
}

TEST(Walk, AFirstLossIsADrawdownFromZero) {
  AccountPaths paths({0});
  paths.add(0, at(1, -7));
  paths.add(0, at(2, -3));
  EXPECT_EQ(paths.summarise(1, kYear).max_drawdown_usd, 7);
}

TEST(Walk, SharpeByHandOnAOneSecondGrid) {
  // Steps every half second; values at 1, 2, 3, 4 s: 2, 1, 5, 4. The half second after is no whole grid step.
  AccountPaths paths({0});
  const double equity[] = {1, 2, 9, 1, 3, 5, 7, 4, 100};
  for (int64_t i = 0; i < 9; ++i) paths.add(0, {(i + 1) * kSecond / 2, equity[i], 0, 0, 0, 3});
  const EvaluationResult r = paths.summarise(1, kYear);
  EXPECT_EQ(r.grid_seconds, 1);
  // Changes 2 -1 4 -1: mean 1, squares about it 1 + 4 + 9 + 4.
  EXPECT_NEAR(r.sharpe, 1 / std::sqrt(18.0 / 3) * std::sqrt(kYear), 1e-9);
  EXPECT_NEAR(r.annualisation, std::sqrt(kYear), 1e-9);
}

TEST(Walk, ARowLaterThanAGridStepLeavesStepsWithoutAChange) {
  AccountPaths paths({0});
  paths.add(0, at(1, 3));
  paths.add(0, at(4, 6));  // nothing at 2 and 3
  const double mean = 6.0 / 4, squares = 2 * 1.5 * 1.5 + 2 * 1.5 * 1.5;
  EXPECT_NEAR(paths.summarise(1, kYear).sharpe, mean / std::sqrt(squares / 3) * std::sqrt(kYear), 1e-9);
}

TEST(Walk, GapsBetweenSegmentsAreNoTradingTime) {
  // The same changes in one segment and in three with an hour between them.
  const double change[] = {1, -2, 3, 1, 0, 2};
  AccountPaths one({0}), three({0, 3600 * kSecond, 7200 * kSecond});
  double total = 0;
  for (int64_t i = 0; i < 6; ++i) one.add(0, at(i + 1, total += change[i]));
  for (int64_t i = 0; i < 6; ++i) {
    const auto segment = static_cast<size_t>(i / 2);
    const double equity = i % 2 ? change[i - 1] + change[i] : change[i];
    three.add(segment, at(static_cast<int64_t>(segment) * 3600 + i % 2 + 1, equity));
  }
  EXPECT_NEAR(three.summarise(1, kYear).sharpe, one.summarise(1, kYear).sharpe, 1e-9);
  EXPECT_EQ(three.summarise(1, kYear).curve, one.summarise(1, kYear).curve);
}

TEST(Walk, TheGridIsTheLongestWithAHundredSteps) {
  for (const auto& [seconds, grid] : std::vector<std::pair<int64_t, double>>{{99, 1}, {999, 1}, {1000, 10}, {5999, 10}, {6000, 60}, {30'000, 300}}) {
    AccountPaths paths({0});
    paths.add(0, at(1, 1));
    paths.add(0, at(seconds, 2));
    EXPECT_EQ(paths.summarise(1, kYear).grid_seconds, grid) << seconds;
  }
}

TEST(Walk, TradesWinsAndTimeInPosition) {
  AccountPaths paths({0});
  paths.add(0, at(1, 0, 2, 100, 0.2, 5));        // long 2 at 100
  paths.add(0, at(2, 0, 2, 103, 0.2, 6));        // long 4 at 101.5
  paths.add(0, at(3, 0, -2, 101.6, 0.2, 7));     // gains 0.1 a lot, the fee of both sides is 0.2: no win
  paths.add(0, at(4, 0, -6, 110, 0.6, 0));       // closes 2 with a gain, short 4 at 110
  paths.add(0, at(5, 0, 0, 0, 0, 3));
  paths.add(0, at(6, 0, 4, 105, 0.4, 8));        // a win
  paths.add(0, at(7, 9, 0, 0, 0, 3));
  const EvaluationResult r = paths.summarise(1, kYear);
  EXPECT_EQ(r.trades, 3);
  EXPECT_EQ(r.wins, 2);
  EXPECT_NEAR(r.fees_usd, 1.6, 1e-12);
  EXPECT_NEAR(r.hold_share, 5.0 / 7, 1e-12);
  EXPECT_NEAR(r.action_share[3], 2.0 / 7, 1e-12);
  EXPECT_NEAR(r.pnl_ticks_per_step, 9.0 / 7, 1e-12);
}

TEST(Walk, OfNobodyIsEmptyAndNotRubbish) {
  const EvaluationResult r = AccountPaths({}).summarise(1, kYear);
  EXPECT_EQ(r.steps, 0);
  EXPECT_EQ(r.pnl_usd, 0);
  EXPECT_EQ(r.hold_share, 0);
  EXPECT_TRUE(std::isnan(r.sharpe));
}

TEST(Sharpe, IsUndefinedWithoutVariance) {
  EXPECT_TRUE(std::isnan(sharpe_ratio({}, 1, kYear)));
  EXPECT_TRUE(std::isnan(sharpe_ratio({5}, 1, kYear)));
  EXPECT_TRUE(std::isnan(sharpe_ratio({2, 2, 2}, 1, kYear)));
  EXPECT_NEAR(sharpe_ratio({1, 3}, 10, kYear), 2 / std::sqrt(2.0) * std::sqrt(kYear / 10), 1e-9);
}

TEST(Year, Is252SessionsOfTheMarketsMeanLength) {
  market::Market m;
  m.levels = 1;
  m.source = "dbn";
  m.resize(6);
  m.session = {0, 0, 0, 1, 1, 2};
  for (size_t r = 0; r < 6; ++r) m.ts[r] = std::vector<int64_t>{0, 10, 30, 100, 160, 500}[r] * kSecond;
  EXPECT_NEAR(seconds_a_year(m), 252 * (30 + 60 + 0) / 3.0, 1e-9);
  m.source = "planted";
  EXPECT_NEAR(seconds_a_year(m), 365.25 * 86400, 1e-6);
}

}  // namespace
}  // namespace foxhunt::trainer::test
