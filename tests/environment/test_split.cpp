// Parts in the order of time, with an embargo between them.
#include <gtest/gtest.h>

#include "markets.hpp"

namespace foxhunt::environment::test {
namespace {

void expect_rows(const RowRange& r, int64_t first, int64_t last) {
  EXPECT_EQ(r.first, first);
  EXPECT_EQ(r.last, last);
}

market::Market flat(int64_t rows) { return simple_market(std::vector<int32_t>(static_cast<size_t>(rows), 100)); }

TEST(Split, PartsFollowEachOtherWithTheEmbargoBetween) {
  const Split s = split_by_time(flat(1000), 0.7, 0.15, 20);
  expect_rows(s.train, 0, 700);
  expect_rows(s.validation, 720, 850);
  expect_rows(s.test, 870, 1000);
}

TEST(Split, WithoutValidationOrTestThereIsNone) {
  const Split no_validation = split_by_time(flat(100), 0.8, 0, 5);
  EXPECT_EQ(no_validation.validation.size(), 0);
  expect_rows(no_validation.test, 85, 100);
  const Split no_test = split_by_time(flat(100), 0.7, 0.3, 5);
  expect_rows(no_test.validation, 75, 100);
  EXPECT_EQ(no_test.test.size(), 0);
}

TEST(Split, AnEmbargoLongerThanAPartLeavesItEmptyAndNeverTouchesAnother) {
  const Split s = split_by_time(flat(100), 0.7, 0.15, 1'000'000'000);
  expect_rows(s.train, 0, 70);
  EXPECT_EQ(s.validation.size(), 0);
  EXPECT_EQ(s.test.size(), 0);
}

TEST(Split, RefusesShares) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [train, validation] : std::vector<std::pair<double, double>>{{0, 0.5}, {-1, 0.5}, {0.7, 0.4}, {0.5, -0.1}, {nan, 0.1}, {0.5, nan}}) {
    const std::string e = error_of([&, t = train, v = validation] { split_by_time(flat(100), t, v, 0); });
    EXPECT_NE(e.find("env.split_train"), std::string::npos) << train << " " << validation;
    EXPECT_NE(e.find("env.split_validation"), std::string::npos);
  }
}

TEST(Split, RefusesATrainingPartWithoutABook) {
  market::Market m = flat(100);
  for (int64_t r = 0; r < 70; ++r) set_book(m, r, {{100, 1}}, {{101, 1}}, r == 3 ? 0 : market::kClosed);
  const std::string e = error_of([&] { split_by_time(m, 0.7, 0.15, 0); });
  EXPECT_NE(e.find("1 tradable rows of 70"), std::string::npos) << e;
}

}  // namespace
}  // namespace foxhunt::environment::test
