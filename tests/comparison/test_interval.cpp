#include "comparison/interval.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace foxhunt::comparison {
namespace {

// Student's own example: the differences in sleep of ten patients (Student 1908, Cushny & Peebles' data).
TEST(Interval, OfStudentsOwnExample) {
  const Interval i = interval_of({1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4});
  EXPECT_NEAR(i.mean, 1.58, 1e-12);
  EXPECT_NEAR(i.mean - i.half, 0.7001142, 1e-6);
  EXPECT_NEAR(i.mean + i.half, 2.4598858, 1e-6);
  EXPECT_TRUE(i.above_zero());
  EXPECT_FALSE(i.below_zero());
}

TEST(Interval, OfFewerThanTwoValuesIsNone) {
  EXPECT_TRUE(std::isnan(interval_of({}).mean));
  const Interval one = interval_of({3});
  EXPECT_EQ(one.mean, 3);
  EXPECT_TRUE(std::isnan(one.half));
  EXPECT_FALSE(one.above_zero());
  EXPECT_TRUE(std::isnan(deviation_of({3})));
}

TEST(Interval, LeavesNansOutAndKnowsExactZero) {
  const Interval i = interval_of({1, std::nan(""), 3});
  EXPECT_EQ(i.mean, 2);
  EXPECT_EQ(i.count, 2u);
  EXPECT_TRUE(interval_of({0, 0, 0}).exactly_zero());
  EXPECT_FALSE(interval_of({0, 1, -1}).exactly_zero());
  EXPECT_FALSE(interval_of({}).exactly_zero());
}

}  // namespace
}  // namespace foxhunt::comparison
