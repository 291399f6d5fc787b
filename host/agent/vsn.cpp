#include "vsn.hpp"

#include <cmath>

#include "../kernels/mamba2.hpp"

namespace foxhunt::agent {

// The embeddings begin so that y has unit variance at inputs of unit variance, when all weights are still about 1 / F.
Vsn::Vsn(const EncoderSettings& s, ParameterGroup& group)
    : features_(s.features), inner_(s.vsn_hidden), hidden_(s.hidden), group_(group) {
  const auto add = [&](const fh_declared& d) { return group.add(s.path, d, s.target); };
  w1_ = add(parameter("vsn_w1", shape(features_, inner_), {"feature", "unit"}, FH_INIT_ORTHOGONAL, std::sqrt(2.0)));
  b1_ = add(parameter("vsn_b1", shape(inner_), {"unit"}, FH_INIT_CONSTANT));
  w2_ = add(parameter("vsn_w2", shape(inner_, features_), {"unit", "feature"}, FH_INIT_ORTHOGONAL, 0.1));
  b2_ = add(parameter("vsn_b2", shape(features_), {"feature"}, FH_INIT_CONSTANT));
  u_ = add(parameter("vsn_u", shape(features_, hidden_), {"feature", "hidden"}, FH_INIT_NORMAL,
                     std::sqrt(static_cast<double>(features_))));
  c_ = add(parameter("vsn_c", shape(features_, hidden_), {"feature", "hidden"}, FH_INIT_CONSTANT));
}

Vsn::Activations Vsn::declare(compute::Tensors& tensors, const PassSettings& pass) const {
  const auto add = [&](const char* name, int64_t columns) {
    compute::TensorSpec spec;
    spec.name = pass.prefix + "/vsn_" + name;
    spec.shape = shape(pass.steps + 1, pass.accounts, columns);
    return tensors.add(std::move(spec));
  };
  Activations a;
  a.z = add("z", inner_);
  a.hidden = add("hidden", inner_);
  a.weights = add("weights", features_);
  a.weighted = add("weighted", features_);
  if (!pass.backward) return a;
  compute::TensorSpec spec;
  spec.name = pass.prefix + "/vsn_selection";
  spec.shape = shape(features_);
  spec.axes[0] = "feature";
  a.selection = tensors.add(std::move(spec));
  return a;
}

void Vsn::record_forward(compute::Recording& recording, const PassSettings& pass, const Activations& a, fh_tensor x,
                         int64_t t, fh_tensor y) const {
  Recorder r = recording.recorder();
  const int64_t rows = r.shape_of(x).dim[0];
  const auto part = [&](compute::TensorId id, int64_t columns) {
    return r.view(recording.write(id), t * pass.accounts * columns, shape(rows, columns));
  };
  const auto weight = [&](size_t i) { return recording.read(pass.target ? group_.target(i) : group_.online(i)); };
  const fh_tensor z = part(a.z, inner_), hidden = part(a.hidden, inner_), weights = part(a.weights, features_),
                  weighted = part(a.weighted, features_);
  const fh_tensor logits = r.scratch((pass.prefix + "/vsn_logits" + std::to_string(rows)).c_str(), shape(rows, features_));
  Gemm g;
  g.bias = weight(b1_);
  r.gemm(z, x, weight(w1_), g);
  record_activation(recording, Activation::elu, z, hidden);
  g.bias = weight(b2_);
  g.f32 = true;
  r.gemm(logits, hidden, weight(w2_), g);
  r.launch(kernels::vsn_select, Grid::blocks(rows), {in(logits), in(x), out(weights), out(weighted)},
           {constant("FEATURES", features_)});
  r.gemm(y, weighted, weight(u_));
  Gemm more;
  more.beta = 1;
  r.gemm(y, weights, weight(c_), more);
}

void Vsn::record_backward(compute::Recording& recording, const PassSettings& pass, const Activations& a, fh_tensor x,
                          fh_tensor grad_y) const {
  Recorder r = recording.recorder();
  const int64_t rows = r.shape_of(x).dim[0];
  const auto part = [&](compute::TensorId id, int64_t columns) {
    return r.view(recording.read(id), 0, shape(rows, columns));
  };
  const auto scratch = [&](const char* name, int64_t columns) {
    return r.scratch((pass.prefix + "/" + name).c_str(), shape(rows, columns));
  };
  const auto weight = [&](size_t i) { return recording.read(group_.online(i)); };
  const auto grad = [&](size_t i) { return recording.write(group_.gradient(i)); };
  const auto sum = [&](const char* name, fh_tensor of, fh_tensor to, double scale) {
    record_column_sum(recording, (pass.prefix + "/" + name).c_str(), of, to, scale);
  };
  const fh_tensor weights = part(a.weights, features_), hidden = part(a.hidden, inner_);
  const fh_tensor grad_weights = scratch("grad_vsn_weights", features_),
                  grad_weighted = scratch("grad_vsn_weighted", features_),
                  grad_logits = scratch("grad_vsn_logits", features_), grad_z = scratch("grad_vsn_z", inner_);
  Gemm of_weights, of_inputs;
  of_weights.transpose_a = true;
  of_inputs.transpose_b = true;
  r.gemm(grad(u_), part(a.weighted, features_), grad_y, of_weights);
  r.gemm(grad(c_), weights, grad_y, of_weights);
  r.gemm(grad_weighted, grad_y, weight(u_), of_inputs);
  r.gemm(grad_weights, grad_y, weight(c_), of_inputs);
  r.launch(kernels::vsn_select_backward, Grid::blocks(rows),
           {in(weights), in(x), in(grad_weights), in(grad_weighted), out(grad_logits)},
           {constant("FEATURES", features_)});
  r.gemm(grad(w2_), hidden, grad_logits, of_weights);
  sum("vsn_b2_partial", grad_logits, grad(b2_), 1);
  r.gemm(grad_z, grad_logits, weight(w2_), of_inputs);
  record_activation_backward(recording, Activation::elu, part(a.z, inner_), grad_z);
  r.gemm(grad(w1_), x, grad_z, of_weights);
  sum("vsn_b1_partial", grad_z, grad(b1_), 1);
  sum("vsn_selection_partial", weights, recording.write(a.selection), 1.0 / static_cast<double>(rows));
}

}  // namespace foxhunt::agent
