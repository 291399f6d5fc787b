#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rig.hpp"

namespace foxhunt::plugins {
namespace {

class Shaper : public Rig {
 public:
  Shaper(int64_t n, const std::vector<std::pair<std::string, std::string>>& settings, bool update = true,
         const std::string& plugin = "rank_standardize")
      : instance_(built_plugins().open(FH_REWARD_SHAPER, plugin), "reward_shaping", {},
                  options_for(built_plugins().open(FH_REWARD_SHAPER, plugin), settings)) {
    reward_ = add("reward", shape(n));
    shaped_ = add("shaped", shape(n));
    const auto step = add("step", shape(1), FH_U64);
    for (const fh_declared& d : instance_.controllers())
      controllers_.push_back(add(d.name, d.shape, static_cast<fh_dtype>(d.dtype)));
    compute::Program program;
    compute::Recording r(program, tensors, instance_.kernels(), {"", "shape", "reward_shaping", 1});
    std::vector<fh_tensor> controllers;
    for (const auto id : controllers_) controllers.push_back(r.write(id));
    fh_shape_reward io{};
    io.controllers = controllers.data();
    io.reward = r.read(reward_);
    io.shaped = r.write(shaped_);
    io.step = r.read(step);
    io.update_controllers = update;
    instance_.shape(r, io);
    allocate();
    executable_ = prepare(program);
  }
  std::vector<double> shape_rewards(const std::vector<double>& rewards) {
    set(reward_, rewards);
    executable_->submit();
    return get(shaped_);
  }
  double std_ema() const { return get(controllers_[0])[0]; }
  double count() const { return get(controllers_[1])[0]; }
  void set_std_ema(double v) { set(controllers_[0], {v}); }

 private:
  RewardShaperInstance instance_;
  compute::TensorId reward_, shaped_;
  std::vector<compute::TensorId> controllers_;
  std::unique_ptr<compute::Executable> executable_;
};

std::vector<double> reference(const std::vector<double>& r, double std_ema, bool nonzero) {
  std::vector<double> magnitudes;
  for (const double v : r)
    if (!std::isnan(v) && !(nonzero && v == 0)) magnitudes.push_back(std::abs(v));
  std::sort(magnitudes.begin(), magnitudes.end());
  std::vector<double> shaped;
  for (const double v : r) {
    const auto rank =
        std::upper_bound(magnitudes.begin(), magnitudes.end(), std::abs(v)) - magnitudes.begin();
    const double magnitude = static_cast<double>(rank) / static_cast<double>(magnitudes.size()) * std_ema;
    shaped.push_back(std::isnan(v) ? v : v > 0 ? magnitude : v < 0 ? -magnitude : 0);
  }
  return shaped;
}

double deviation(const std::vector<double>& r) {
  double mean = 0, squares = 0;
  for (const double v : r) mean += v / static_cast<double>(r.size());
  for (const double v : r) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / static_cast<double>(r.size()));
}

TEST(RankStandardize, TheExample) {
  Shaper shaper(4, {}, false);
  shaper.set_std_ema(2);
  EXPECT_EQ(shaper.shape_rewards({3, -1, 5, -2}), (std::vector<double>{1.5, -0.5, 2, -1}));
  EXPECT_EQ(shaper.std_ema(), 2);
  EXPECT_EQ(shaper.count(), 0);
}

TEST(RankStandardize, TiesShareARankAndZeroStaysZero) {
  Shaper shaper(8, {}, false);
  shaper.set_std_ema(1);
  EXPECT_EQ(shaper.shape_rewards({2, -2, 0, 1, 2, 0, -1, -0.0}),
            (std::vector<double>{1, -1, 0, 0.625, 1, 0, -0.625, 0}));
  Shaper nonzero(8, {{"rank_over", "nonzero"}}, false);
  nonzero.set_std_ema(1);
  const auto shaped = nonzero.shape_rewards({2, -2, 0, 1, 2, 0, -1, -0.0});
  EXPECT_NEAR(shaped[3], 0.4, 1e-7);
  EXPECT_EQ(shaped[0], 1);
  EXPECT_EQ(shaped[2], 0);
}

TEST(RankStandardize, EverySizeAgreesWithASort) {
  for (const int64_t n : {1, 2, 3, 31, 1000, 2047, 2048, 2049, 4096, 5000, 8193, 20000}) {
    for (const bool nonzero : {false, true}) {
      Shaper shaper(n, {{"rank_over", nonzero ? "nonzero" : "all"}}, false);
      shaper.set_std_ema(1.5);
      // Coarse values: many ties and zeros.
      auto r = normal(static_cast<size_t>(n), static_cast<uint64_t>(n), 3);
      for (size_t i = 0; i < r.size(); i += 2) r[i] = std::round(r[i]);
      const auto shaped = shaper.shape_rewards(r), expected = reference(r, 1.5, nonzero);
      for (size_t i = 0; i < r.size(); ++i)
        ASSERT_NEAR(shaped[i], expected[i], 1e-6) << "n " << n << " i " << i;
    }
  }
}

TEST(RankStandardize, QuarterOfAMillion) {
  const size_t n = 262144;
  Shaper shaper(static_cast<int64_t>(n), {});
  const auto r = normal(n, 8);
  const auto shaped = shaper.shape_rewards(r);
  EXPECT_NEAR(shaper.std_ema(), deviation(r), 1e-5);
  const auto expected = reference(r, shaper.std_ema(), false);
  for (size_t i = 0; i < n; ++i) ASSERT_NEAR(shaped[i], expected[i], 1e-6);
}

// The plain average of the batches' deviations until the floor holds.
TEST(RankStandardize, EmaWithAdaptiveRate) {
  Shaper shaper(64, {{"ema_rate", "0.2"}});
  double ema = 0;
  for (int i = 0; i < 12; ++i) {
    const auto r = normal(64, static_cast<uint64_t>(i), 1 + i);
    shaper.shape_rewards(r);
    ema += std::max(1.0 / (1 + i), static_cast<double>(0.2f)) * (deviation(r) - ema);
    EXPECT_NEAR(shaper.std_ema(), ema, 1e-5 * ema);
    EXPECT_EQ(shaper.count(), i + 1);
  }
}

TEST(RankStandardize, Equivariant) {
  const auto r = normal(3000, 4);
  std::vector<double> scaled;
  for (const double v : r) scaled.push_back(v * 8);
  Shaper a(3000, {}), b(3000, {});
  const auto shaped = a.shape_rewards(r), big = b.shape_rewards(scaled);
  for (size_t i = 0; i < r.size(); ++i) ASSERT_EQ(big[i], 8 * shaped[i]);
}

// NaN goes through visibly, is ranked by nobody and leaves the state sound; so do infinities, with the top
// rank.
TEST(RankStandardize, NotANumber) {
  Shaper shaper(6, {});
  const auto shaped = shaper.shape_rewards({1, std::nan(""), -2, INFINITY, 3, -INFINITY});
  const double d = deviation({1, -2, 3});
  EXPECT_NEAR(shaper.std_ema(), d, 1e-6);
  EXPECT_TRUE(std::isnan(shaped[1]));
  EXPECT_NEAR(shaped[0], d * 0.2, 1e-6);
  EXPECT_NEAR(shaped[2], -d * 0.4, 1e-6);
  EXPECT_NEAR(shaped[3], d, 1e-6);
  EXPECT_NEAR(shaped[5], -d, 1e-6);
  const auto nothing = shaper.shape_rewards(std::vector<double>(6, std::nan("")));
  for (const double v : nothing) EXPECT_TRUE(std::isnan(v));
  EXPECT_EQ(shaper.count(), 1);
}

TEST(RankStandardize, OneRewardHasNoDeviation) {
  Shaper shaper(1, {});
  shaper.set_std_ema(0.5);
  EXPECT_EQ(shaper.shape_rewards({-7}), (std::vector<double>{-0.5}));
  EXPECT_EQ(shaper.count(), 0);
}

TEST(Identity, LeavesRewardsAsTheyAre) {
  Shaper shaper(5, {}, true, "identity");
  EXPECT_EQ(shaper.shape_rewards({1, -2, 0, 0.5, 1e30}), (std::vector<double>{1, -2, 0, 0.5, 1e30f}));
}

}  // namespace
}  // namespace foxhunt::plugins
