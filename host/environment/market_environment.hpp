#pragma once
#include "accounts.hpp"
#include "environment.hpp"

namespace foxhunt::environment {

/// Training on one feed: episodes begin on any of its rows.
class MarketEnvironment final : public Environment {
 public:
  /// `feed` must outlive this.
  MarketEnvironment(const Feed& feed, AccountSettings settings) : feed_(feed), settings_(settings) {}

  int64_t accounts() const override { return settings_.accounts; }
  int64_t features() const override { return book_features(feed_.levels) + kAccountFeatures; }
  std::vector<std::string> feature_names() const override { return environment::feature_names(feed_.levels); }
  int64_t actions() const override { return kActions; }
  std::vector<std::string> action_names() const override {
    return {"short_full", "short_half", "short_small", "hold", "long_small", "long_half", "long_full", "half_flat", "full_flat"};
  }
  bool trades() const override { return true; }

  void declare(compute::Tensors& tensors, const std::string& prefix, compute::Lifetime lifetime) override;
  void upload(compute::Compute& compute) const override { feed_tensors_.upload(compute, feed_); }
  /// First episodes start anywhere and are cut at different steps, so that episode ends are spread evenly from the
  /// first iteration on.
  void initialise(compute::Compute& compute, uint64_t seed) const override;

  void record_observe(compute::Recording& recording, fh_tensor x) const override { book_.record_observe(recording, x); }
  void record_target(compute::Recording& recording, fh_tensor action, fh_tensor target) const override {
    book_.record_target(recording, action, target);
  }
  void record_mask(compute::Recording& recording, fh_tensor mask) const override { book_.record_mask(recording, mask); }
  void record_step(compute::Recording& recording, fh_tensor action, fh_tensor sized, compute::TensorId step,
                   const StepOutputs& outputs, uint32_t salt) const override {
    book_.record_step(recording, action, sized, step, outputs, salt);
  }
  /// PnL [USD], fees [USD], closed trades, those with a gain, episodes, sum of |position| [lots], accounts in position.
  int64_t totals() const override { return 7; }
  void record_totals(compute::Recording& recording, fh_tensor out) const override;

 private:
  const Feed& feed_;
  AccountSettings settings_;
  FeedTensors feed_tensors_{};
  Accounts book_;
};

}  // namespace foxhunt::environment
