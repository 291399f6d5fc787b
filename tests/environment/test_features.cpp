// Book features and their scale.
#include <gtest/gtest.h>

#include <cmath>

#include "markets.hpp"

namespace foxhunt::environment::test {
namespace {

std::vector<float> row_of(const Feed& feed, int64_t row) {
  const int64_t n = book_features(feed.levels);
  return {feed.features.begin() + row * n, feed.features.begin() + (row + 1) * n};
}

void expect_near(const std::vector<float>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t f = 0; f < wanted.size(); ++f) EXPECT_NEAR(found[f], wanted[f], 1e-6) << "feature " << f;
}

TEST(BookFeatures, ByHand) {
  market::Market m = empty_market(3, 2);
  for (int64_t r = 0; r < 3; ++r) set_book(m, r, {{100, 3}, {98, 1}}, {{101, 1}, {103, 7}});
  set_book(m, 1, {{99, 4}}, {{103, 4}});  // each side has one level
  const Feed feed = feed_of(m);
  // bid distances, log bid sizes, ask distances, log ask sizes, imbalance, spread
  expect_near(row_of(feed, 0), {-0.5, -2.5, std::log(4), std::log(2), 0.5, 2.5, std::log(2), std::log(8), 0.5, 1});
  expect_near(row_of(feed, 1), {-2, 0, std::log(5), 0, 2, 0, std::log(5), 0, 0, 4});
}

TEST(BookFeatures, OfABadBookAreMeasuredFromTheLastMidAndFinite) {
  market::Market m = empty_market(3, 1);
  set_book(m, 0, {{100, 1}}, {{102, 1}});
  set_book(m, 1, {{99, 1}}, {});
  set_book(m, 2, {{100, 1}}, {{102, 1}});
  expect_near(row_of(feed_of(m), 1), {-2, std::log(2), 0, 0, 1, 0});
}

TEST(FeatureScale, IsMeanAndDeviationOverTradableRows) {
  market::Market m = empty_market(5, 1);
  const uint32_t sizes[] = {1, 2, 3, 4, 4000};
  for (int64_t r = 0; r < 5; ++r)
    set_book(m, r, {{100, sizes[r]}}, {{101, 1}}, r == 4 ? market::kHalted : 0);
  const FeatureScale scale = fit_scale(m, {0, 5});
  double mean = 0, squares = 0;
  for (int r = 0; r < 4; ++r) mean += std::log(1.0 + sizes[r]) / 4;
  for (int r = 0; r < 4; ++r) squares += std::pow(std::log(1.0 + sizes[r]) - mean, 2) / 4;
  EXPECT_NEAR(scale.mean[1], mean, 1e-12);
  EXPECT_NEAR(scale.inverse_deviation[1], 1 / std::sqrt(squares), 1e-9);
  EXPECT_EQ(scale.inverse_deviation[0], 0) << "a feature without spread";
}

TEST(FeatureScale, LeavesOutAbsentLevels) {
  market::Market m = empty_market(4, 2);
  for (int64_t r = 0; r < 4; ++r) set_book(m, r, {{100, 1}, {98 - r, 1}}, {{101, 1}, {104, 1}});
  const FeatureScale all = fit_scale(m, {0, 2});
  set_book(m, 2, {{100, 1}}, {{101, 1}});
  set_book(m, 3, {{100, 1}}, {{101, 1}});
  const FeatureScale some = fit_scale(m, {0, 4});
  EXPECT_NEAR(some.mean[1], all.mean[1], 1e-12);
  const Feed feed = make_feed(m, {0, 4}, some, {});
  EXPECT_EQ(row_of(feed, 2)[1], 0) << "an absent level has the mean distance";
}

TEST(FeatureScale, ComesFromTheTrainingRowsAlone) {
  market::Market m = random_market(1000, 3, 5);
  const Split split = split_by_time(m, 0.7, 0.15, 10);
  const FeatureScale before = fit_scale(m, split.train);
  const Feed train_before = make_feed(m, split.train, before, {});
  for (int64_t r = split.train.last; r < m.rows(); ++r) set_book(m, r, {{50'000, 900}}, {{50'100, 1}});
  const FeatureScale after = fit_scale(m, split.train);
  EXPECT_EQ(before.mean, after.mean);
  EXPECT_EQ(before.inverse_deviation, after.inverse_deviation);
  EXPECT_EQ(train_before.features, make_feed(m, split.train, after, {}).features);
  set_book(m, 20, {{50'000, 900}}, {{50'100, 1}});
  EXPECT_NE(before.mean, fit_scale(m, split.train).mean) << "the test can fail";
}

TEST(BookFeatures, ScaledRowsHaveMeanZeroAndDeviationOneAndAreBounded) {
  market::Market m = random_market(4000, 2, 9);
  const RowRange all{0, m.rows()};
  set_book(m, 100, {{20'000, 4'000'000'000u}}, {{29'000, 1}});
  const Feed feed = make_feed(m, all, fit_scale(m, all), {});
  for (const float x : feed.features) {
    ASSERT_TRUE(std::isfinite(x));
    ASSERT_LE(std::abs(x), 10);
  }
  const int64_t n = book_features(2), imbalance = 4 * 2;
  double sum = 0, squares = 0, count = 0;
  for (int64_t r = 0; r < feed.rows; ++r) {
    if (!feed.tradable[static_cast<size_t>(r)]) continue;
    const double x = feed.features[static_cast<size_t>(r * n + imbalance)];
    sum += x, squares += x * x, count += 1;
  }
  EXPECT_NEAR(sum / count, 0, 1e-6);
  EXPECT_NEAR(squares / count, 1, 1e-5);
}

TEST(SessionLeft, FallsFromOneToZeroWithTheClock) {
  market::Market m = simple_market(std::vector<int32_t>(7, 100));
  m.session = {0, 0, 0, 0, 1, 1, 2};
  m.ts = {0, 10, 10, 40, 100, 150, 900};
  EXPECT_EQ(feed_of(m).session_left, (std::vector<float>{1, 0.75f, 0.75f, 0, 1, 0, 0}));
  // A part that begins within a session goes on with that session's clock.
  EXPECT_EQ(make_feed(m, {1, 5}, no_scale(1), {}).session_left, (std::vector<float>{0.75f, 0.75f, 0, 1}));
}

TEST(SessionLeft, IsZeroWhereThereAreNoSessions) {
  market::Market m = simple_market(std::vector<int32_t>(4, 100));
  m.source = "planted";
  EXPECT_EQ(feed_of(m).session_left, std::vector<float>(4, 0));
}

}  // namespace
}  // namespace foxhunt::environment::test
