#pragma once
#include "../compute/compute.hpp"
#include "parameters.hpp"

namespace foxhunt::agent {

/// Policy logits and scalar value, both linear: in the same h, or the value in features `value_h` of an encoder of its
/// own. Both are [rows, H].
class ActorCritic {
 public:
  /// `value_target`: the value keeps target weights.
  ActorCritic(ParameterGroup& group, int64_t hidden, int64_t actions, bool value_target = false);

  /// logits [rows, N] and value [rows]; value 0: not wanted.
  void record_forward(compute::Recording& recording, fh_tensor h, fh_tensor value_h, fh_tensor logits, fh_tensor value) const;
  /// Parameter gradients from grad_logits [rows, N], and the gradient of h.
  void record_policy_backward(compute::Recording& recording, fh_tensor h, fh_tensor grad_logits, fh_tensor grad_h) const;
  /// value [rows] alone.
  void record_value(compute::Recording& recording, fh_tensor value_h, fh_tensor value) const;
  /// What another loss says of V, from its grad_value [rows] times `weight`: gradients of V's weights, times `scale`, to
  /// w [H,1] and b [1], written, or with `add` added to what is there; and, where grad_h [rows, H] is given, that of V's
  /// features, added there.
  void record_outside_gradient(compute::Recording& recording, fh_tensor value_h, fh_tensor grad_value, double weight, double scale,
                               fh_tensor w, fh_tensor b, bool add, fh_tensor grad_h) const;
  compute::TensorId value_w_gradient() const { return group_.gradient(value_w_); }
  compute::TensorId value_b_gradient() const { return group_.gradient(value_b_); }
  /// Parameter gradients from grad_value [rows], and the gradient of value_h: written, or with `add` added to what is there.
  void record_value_backward(compute::Recording& recording, fh_tensor value_h, fh_tensor grad_value, fh_tensor grad_value_h,
                             bool add) const;
  /// f32 [H, 1]: what the value makes of its features.
  compute::TensorId value_weights() const { return group_.online(value_w_); }
  /// value [rows] of value_h by the target weights.
  void record_target_value(compute::Recording& recording, fh_tensor value_h, fh_tensor value) const;

 private:
  ParameterGroup& group_;
  int64_t actions_;
  size_t policy_w_, policy_b_, value_w_, value_b_;
};

}  // namespace foxhunt::agent
