#include "actor_critic.hpp"

#include "network.hpp"

namespace foxhunt::agent {

namespace {

fh_declared weight(int64_t hidden, int64_t outputs, double gain, const char* axis) {
  fh_declared d{};
  d.name = "w";
  d.shape = shape(hidden, outputs);
  d.axes[0] = "hidden";
  d.axes[1] = axis;
  d.dtype = FH_F32;
  d.init = FH_INIT_ORTHOGONAL;
  d.value = gain;
  return d;
}

fh_declared bias(int64_t outputs, const char* axis) {
  fh_declared d{};
  d.name = "b";
  d.shape = shape(outputs);
  d.axes[0] = axis;
  d.dtype = FH_F32;
  d.init = FH_INIT_CONSTANT;
  return d;
}

fh_tensor column(Recorder& r, fh_tensor vector) { return r.reshape(vector, shape(elements(r.shape_of(vector)), 1)); }

}  // namespace

ActorCritic::ActorCritic(ParameterGroup& group, int64_t hidden, int64_t actions, bool value_target)
    : group_(group), actions_(actions) {
  // A nearly uniform first policy; gains as in the PPO implementations that published scores come from.
  policy_w_ = group.add("/policy", weight(hidden, actions, 0.01, "action"));
  policy_b_ = group.add("/policy", bias(actions, "action"));
  value_w_ = group.add("/value", weight(hidden, 1, 1.0, "value"), value_target);
  value_b_ = group.add("/value", bias(1, "value"), value_target);
}

void ActorCritic::record_forward(compute::Recording& recording, fh_tensor h, fh_tensor value_h, fh_tensor logits,
                                 fh_tensor value) const {
  Recorder r = recording.recorder();
  Gemm g;
  g.bias = recording.read(group_.online(policy_b_));
  g.f32 = true;
  r.gemm(logits, h, recording.read(group_.online(policy_w_)), g);
  if (value) record_value(recording, value_h, value);
}

void ActorCritic::record_value(compute::Recording& recording, fh_tensor value_h, fh_tensor value) const {
  Recorder r = recording.recorder();
  Gemm g;
  g.f32 = true;
  g.bias = recording.read(group_.online(value_b_));
  r.gemm(column(r, value), value_h, recording.read(group_.online(value_w_)), g);
}

void ActorCritic::record_outside_gradient(compute::Recording& recording, fh_tensor value_h, fh_tensor grad_value, double weight,
                                          double scale, fh_tensor w, fh_tensor b, bool add, fh_tensor grad_h) const {
  Recorder r = recording.recorder();
  const fh_tensor values = column(r, grad_value);
  const int64_t rows = elements(r.shape_of(grad_value));
  const fh_tensor ones = r.scratch("outside_ones", shape(1, rows));
  r.fill(ones, 1);
  const float alpha = static_cast<float>(weight * scale), beta = add ? 1.0f : 0.0f;
  r.gemm(w, value_h, values, {.transpose_a = true, .alpha = alpha, .beta = beta});
  r.gemm(b, ones, values, {.alpha = alpha, .beta = beta});
  if (grad_h) r.gemm(grad_h, values, recording.read(group_.online(value_w_)), {.transpose_b = true, .alpha = static_cast<float>(weight), .beta = 1});
}

void ActorCritic::record_policy_backward(compute::Recording& recording, fh_tensor h, fh_tensor grad_logits, fh_tensor grad_h) const {
  Recorder r = recording.recorder();
  Gemm weights, inputs;
  weights.transpose_a = true;
  inputs.transpose_b = true;
  r.gemm(recording.write(group_.gradient(policy_w_)), h, grad_logits, weights);
  record_column_sum(recording, "policy_bias_partial", grad_logits, recording.write(group_.gradient(policy_b_)));
  r.gemm(grad_h, grad_logits, recording.read(group_.online(policy_w_)), inputs);
}

void ActorCritic::record_value_backward(compute::Recording& recording, fh_tensor value_h, fh_tensor grad_value,
                                        fh_tensor grad_value_h, bool add) const {
  Recorder r = recording.recorder();
  const fh_tensor values = column(r, grad_value);
  Gemm weights, inputs;
  weights.transpose_a = true;
  inputs.transpose_b = true;
  inputs.beta = add ? 1 : 0;
  r.gemm(recording.write(group_.gradient(value_w_)), value_h, values, weights);
  record_column_sum(recording, "value_bias_partial", values, recording.write(group_.gradient(value_b_)));
  r.gemm(grad_value_h, values, recording.read(group_.online(value_w_)), inputs);
}

void ActorCritic::record_target_value(compute::Recording& recording, fh_tensor value_h, fh_tensor value) const {
  Recorder r = recording.recorder();
  Gemm g;
  g.bias = recording.read(group_.target(value_b_));
  r.gemm(column(r, value), value_h, recording.read(group_.target(value_w_)), g);
}

}  // namespace foxhunt::agent
