#pragma once
#include "../compute/compute.hpp"

namespace foxhunt::agent {

/// A batch drawn from replay.
struct Batch {
  fh_tensor state, next_state;  ///< f32 [batch, width]
  fh_tensor action;             ///< i32 [batch]
  fh_tensor reward, discount;   ///< f32 [batch]: sum of n rewards, gamma^n or 0 where terminated
  fh_tensor select = 0;         ///< the next state by the online encoder, where `next_state` is by the target's; or 0
};

/// Ring of n-step transitions. A state is what the encoder made of an observation when it was seen (replay.kind =
/// embedding) or the observation itself (replay.kind = observation).
class Replay {
 public:
  struct Settings {
    int64_t capacity = 0, width = 0, batch = 0;
    int64_t n_step = 1;
    double gamma = 0.99;
    const char* state = "h";  ///< what it is called in the checkpoint
    bool in_checkpoint = true;
  };
  void declare(compute::Tensors& tensors, const Settings& settings);

  /// Appends the windows that were completed by a rollout: those that begin with its first `horizon` rows. The first
  /// n_step - 1 rows of all tensors are the last ones of the rollout before.
  /// @param states  [horizon + n_step, accounts, width]; the others [horizon + n_step - 1, accounts]
  void record_append(compute::Recording& recording, fh_tensor states, fh_tensor action, fh_tensor reward, fh_tensor done,
                     fh_tensor valid) const;
  /// Draws a batch, uniformly with replacement; `salt` tells the draws of one iteration apart.
  Batch record_sample(compute::Recording& recording, compute::TensorId step, uint32_t salt) const;

  /// i32 [2]: next slot to write, transitions held.
  compute::TensorId ring() const { return ring_; }
  const Settings& settings() const { return settings_; }

 private:
  Settings settings_;
  compute::TensorId ring_ = 0, state_ = 0, next_state_ = 0, action_ = 0, reward_ = 0, discount_ = 0;
};

}  // namespace foxhunt::agent
