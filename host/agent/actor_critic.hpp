#pragma once
#include "../compute/compute.hpp"
#include "parameters.hpp"

namespace foxhunt::agent {

/// Policy logits and scalar value, both linear in h. Their parameters join the encoder's group.
class ActorCritic {
 public:
  /// `value_target`: the value keeps target weights.
  ActorCritic(ParameterGroup& group, int64_t hidden, int64_t actions, bool value_target = false);

  /// h [rows, H] to logits [rows, N] and value [rows]; value 0: not wanted.
  void record_forward(compute::Recording& recording, fh_tensor h, fh_tensor logits, fh_tensor value) const;
  /// Parameter gradients from grad_logits [rows, N] and grad_value [rows], and grad_h [rows, H].
  void record_backward(compute::Recording& recording, fh_tensor h, fh_tensor grad_logits, fh_tensor grad_value,
                       fh_tensor grad_h) const;
  /// value [rows] of h [rows, H] by the target weights.
  void record_target_value(compute::Recording& recording, fh_tensor h, fh_tensor value) const;

 private:
  ParameterGroup& group_;
  int64_t actions_;
  size_t policy_w_, policy_b_, value_w_, value_b_;
};

}  // namespace foxhunt::agent
