#pragma once
#include "../compute/compute.hpp"

namespace foxhunt::agent {

/// A batch drawn from replay.
struct Batch {
  fh_tensor h, h_next;         ///< f32 [batch, H]
  fh_tensor action;            ///< i32 [batch]
  fh_tensor reward, discount;  ///< f32 [batch]
};

/// Ring of transitions with h as it was when they were produced (replay.kind = embedding).
class Replay {
 public:
  struct Settings {
    int64_t capacity = 0, hidden = 0, batch = 0;
    double gamma = 0.99;
    bool in_checkpoint = true;
  };
  void declare(compute::Tensors& tensors, const Settings& settings);

  /// Appends the valid samples of a rollout: h [horizon + 1, accounts, H], the others [horizon, accounts].
  void record_append(compute::Recording& recording, fh_tensor h, fh_tensor action, fh_tensor reward, fh_tensor done,
                     fh_tensor valid) const;
  /// Draws a batch, uniformly with replacement; `salt` tells the draws of one iteration apart.
  Batch record_sample(compute::Recording& recording, compute::TensorId step, uint32_t salt) const;

  /// i32 [2]: next slot to write, transitions held.
  compute::TensorId ring() const { return ring_; }

 private:
  Settings settings_;
  compute::TensorId ring_ = 0, h_ = 0, h_next_ = 0, action_ = 0, reward_ = 0, discount_ = 0;
};

}  // namespace foxhunt::agent
