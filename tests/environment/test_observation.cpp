// What an account sees when it decides.
#include <gtest/gtest.h>

#include "rig.hpp"

namespace foxhunt::environment::test {
namespace {

double squash(double x) { return x / (1 + std::abs(x)); }

std::vector<double> own(Rig& rig, size_t account = 0) {
  const std::vector<float> x = rig.observe();
  const auto n = static_cast<size_t>(rig.accounts.features());
  return {x.begin() + static_cast<std::ptrdiff_t>((account + 1) * n - kAccountFeatures), x.begin() + static_cast<std::ptrdiff_t>((account + 1) * n)};
}

void expect_own(Rig& rig, const std::vector<double>& wanted) {
  const std::vector<double> found = own(rig);
  for (size_t f = 0; f < wanted.size(); ++f) EXPECT_NEAR(found[f], wanted[f], 1e-6) << "own feature " << f;
}

TEST(Observation, HoldsTheBookOfTheAccountsOwnRow) {
  const Feed feed = feed_of(random_market(500, 3, 2));
  AccountSettings s;
  s.accounts = 3;
  Rig rig(feed, s);
  const std::vector<int32_t> rows{feed.starts[0], feed.starts[7], feed.starts[100]};
  rig.start(rows);
  const std::vector<float> x = rig.observe();
  const int64_t n = book_features(3), width = rig.accounts.features();
  EXPECT_EQ(width, 4 * 3 + 2 + 6);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t f = 0; f < n; ++f)
      EXPECT_EQ(x[static_cast<size_t>(i * width + f)], feed.features[static_cast<size_t>(rows[static_cast<size_t>(i)] * n + f)]);
}

TEST(Observation, OfTheAccountByHand) {
  // Mids 100.5, 100.5, 103.5, 98.5; one tick and lot is 12.5 USD.
  market::Market m = simple_market({100, 100, 103, 98, 98, 98});
  m.ts = {0, 10, 20, 30, 40, 50};
  AccountSettings s;
  s.fee = 2.5;
  Rig rig(feed_of(m), s);
  rig.start({0});
  expect_own(rig, {0, 0, 0, 0, 1, 0});
  rig.step(kLongHalf);  // 2 lots at 101 on row 1, mid 100.5: down 1 tick and 0.4 ticks of fees
  expect_own(rig, {0.5, 0.5, squash(-1.0 / 40), 0, 0.8, squash(-1.4 / 400)});
  rig.step(kHold);  // mid 103.5: up 5 ticks
  expect_own(rig, {0.5, 0.5, squash(5.0 / 40), squash(0.02), 0.6, squash(4.6 / 400)});
  rig.step(kShortFull);  // sells 6 at 98: 2 lose 3 each; short 4 at 98, mid 98.5; fees 8 x 0.2
  expect_own(rig, {-1, 1, squash(-2.0 / 40), 0, 0.4, squash((-6.0 - 2 - 1.6) / 400)});
  rig.step(kHold);
  expect_own(rig, {-1, 1, squash(-2.0 / 40), squash(0.02), 0.2, squash(-9.6 / 400)});
}

TEST(Observation, AgeCountsStepsSinceThePositionWasOpened) {
  Rig rig(feed_of(simple_market(std::vector<int32_t>(20, 100))), {});
  rig.start({0});
  const auto age = [&] { return rig.get<int32_t>(rig.accounts.age)[0]; };
  const std::vector<std::pair<int32_t, int32_t>> steps{{kHold, 0},      {kLongSmall, 0}, {kHold, 1},      {kLongFull, 2},
                                                       {kHalfFlat, 3},  {kShortSmall, 0}, {kHold, 1},     {kFullFlat, 0},
                                                       {kHold, 0},      {kShortFull, 0}, {kShortSmall, 1}};
  for (const auto& [action, wanted] : steps) {
    rig.step(action);
    EXPECT_EQ(age(), wanted) << "after action " << action << " on row " << rig.row();
  }
}

TEST(Observation, IsFiniteAndBoundedWhateverHappens) {
  const Feed feed = feed_of(random_market(3000, 2, 3));
  AccountSettings s;
  s.accounts = 32;
  s.fee = 50;
  Rig rig(feed, s);
  rig.start(std::vector<int32_t>(32, feed.starts[0]));
  for (int t = 0; t < 300; ++t) {
    std::vector<int32_t> action(32);
    for (int32_t i = 0; i < 32; ++i) action[static_cast<size_t>(i)] = (i + 5 * t) % 9;
    rig.step(action);
    for (const float x : rig.observe()) ASSERT_LE(std::abs(x), 10.0f);
  }
}

}  // namespace
}  // namespace foxhunt::environment::test
