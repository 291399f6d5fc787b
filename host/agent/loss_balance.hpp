#pragma once
#include <string>

#include "../compute/compute.hpp"

namespace foxhunt::agent {

/// Weight of one loss that keeps its gradient norm, where it reaches what it shares with the policy, at `ratio` times the
/// policy's: weight = ratio x mean norm of the policy's / mean norm of this loss's, within [1 / limit, limit]. The idea of
/// GradNorm (Chen et al. 2018) with a fixed target and no further optimiser.
class LossBalance {
 public:
  struct Settings {
    double ratio = 0;  ///< 0: not balanced, the weight stays 1
    double limit = 100, rate = 0.01;
  };
  /// f64 [5] of state under /controllers/balance/<name>: weight, mean norm of the policy's gradient, its count, mean norm of
  /// this loss's, its count.
  void declare(compute::Tensors& tensors, const std::string& name, const Settings& settings);
  void initialise(compute::Compute& compute) const;
  bool on() const { return settings_.ratio > 0; }

  /// The policy's norm, of a gradient f32 or of sums of squares f64.
  void record_policy(compute::Recording& recording, fh_tensor gradient) const;
  void record_policy_squares(compute::Recording& recording, fh_tensor squares) const;
  /// This loss's norm, that of the outer product of `gradient` and `factor` (f32 each); then the weight follows.
  void record_loss(compute::Recording& recording, fh_tensor gradient, fh_tensor factor) const;
  /// The same from squares, f64, of a gradient that `record_scale` has weighted.
  void record_weighted_squares(compute::Recording& recording, fh_tensor squares) const;
  /// values <- weight x values.
  void record_scale(compute::Recording& recording, fh_tensor values) const;

  compute::TensorId state() const { return state_; }

 private:
  fh_tensor squares_of(compute::Recording& recording, const std::string& name, fh_tensor values) const;
  void observe(compute::Recording& recording, fh_tensor squares, fh_tensor factors, bool of_policy, bool weighted) const;

  std::string name_;
  Settings settings_;
  compute::TensorId state_ = 0;
};

}  // namespace foxhunt::agent
