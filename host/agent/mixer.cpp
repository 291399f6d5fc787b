#include "mixer.hpp"

#include <algorithm>
#include <cmath>
#include <foxhunt/error.hpp>

#include "../common/text.hpp"
#include "../kernels/mamba2.hpp"
#include "../kernels/network.hpp"

namespace foxhunt::agent {

namespace {


// A handle where no flags are needed: kernels look at none of it.
fh_tensor flags(Recorder& r, const PassSettings& pass, fh_tensor valid) {
  return valid ? valid : r.scratch((pass.prefix + "/no_flags").c_str(), shape(1), FH_U8);
}

}  // namespace

Mixer::Mixer(const EncoderSettings& s, ParameterGroup& group)
    : path_(s.path), group_(group), hidden_(s.hidden), head_dim_(s.head_dim), state_(s.state), conv_(s.conv) {
  channels_ = s.expand * s.hidden;
  if (channels_ % head_dim_ != 0)
    throw Error(text("encoder.expand x encoder.hidden = ", s.expand, " x ", s.hidden, " = ", channels_,
                     " channels cannot be shared out over heads of encoder.head_dim = ", head_dim_,
                     "; choose a head_dim that divides ", channels_));
  heads_ = channels_ / head_dim_;
  mixed_ = channels_ + 2 * state_;
  projected_ = channels_ + mixed_ + heads_;
  const auto add = [&](const fh_declared& d) { return group.add(s.path, d, s.target); };
  // As a linear layer and a convolution without further ado: uniform within 1 / sqrt(fan in) (LeCun et al. 1998).
  const auto within = [](int64_t fan_in) { return 1 / std::sqrt(static_cast<double>(fan_in)); };
  in_proj_ = add(parameter("in_proj", shape(hidden_, projected_), {"hidden", "z_x_B_C_dt"}, FH_INIT_UNIFORM, within(hidden_)));
  conv_w_ = add(parameter("conv_w", shape(conv_, mixed_), {"tap", "x_B_C"}, FH_INIT_UNIFORM, within(conv_)));
  conv_b_ = add(parameter("conv_b", shape(mixed_), {"x_B_C"}, FH_INIT_UNIFORM, within(conv_)));
  dt_bias_ = add(parameter("dt_bias", shape(heads_), {"head"}, kInitTimeStep));
  a_log_ = add(parameter("A_log", shape(heads_), {"head"}, kInitDecayRate));
  skip_ = add(parameter("D", shape(heads_), {"head"}, FH_INIT_CONSTANT, 1));
  gain_ = add(parameter("gate_gain", shape(channels_), {"channel"}, FH_INIT_CONSTANT, 1));
  out_proj_ = add(parameter("out_proj", shape(channels_, hidden_), {"channel", "hidden"}, FH_INIT_UNIFORM, within(channels_)));
}

Mixer::Activations Mixer::declare(compute::Tensors& tensors, const PassSettings& pass) const {
  const auto add = [&](std::string name, fh_shape s, compute::Lifetime lifetime) {
    compute::TensorSpec spec;
    spec.name = std::move(name);
    spec.shape = s;
    spec.lifetime = lifetime;
    return tensors.add(std::move(spec));
  };
  const auto rows = [&](const char* name, int64_t columns) {
    return add(pass.prefix + "/" + name, shape(pass.steps + 1, pass.accounts, columns), compute::Lifetime::scratch);
  };
  Activations a;
  a.projected = rows("projected", projected_);
  a.mixed = rows("mixed", mixed_);
  a.y = rows("y", channels_);
  a.gated = rows("gated", channels_);
  const fh_shape conv = shape(pass.accounts, conv_ - 1, mixed_), state = shape(pass.accounts, state_, channels_);
  const std::string where = pass.carried == compute::Lifetime::state ? path_ + "/state" : pass.prefix + "/state";
  const auto carried = [&](const char* name, fh_shape s, std::array<const char*, 3> axes) {
    compute::TensorSpec spec;
    spec.name = where + "/" + name;
    spec.shape = s;
    spec.lifetime = pass.carried;
    std::copy(axes.begin(), axes.end(), spec.axes.begin());
    return tensors.add(std::move(spec));
  };
  a.conv = carried("conv", conv, {"account", "step", "x_B_C"});
  a.state = carried("ssm", state, {"account", "state", "channel"});
  if (!pass.backward) return a;
  a.conv_start = add(pass.prefix + "/start/conv", conv, compute::Lifetime::scratch);
  a.state_start = add(pass.prefix + "/start/ssm", state, compute::Lifetime::scratch);
  return a;
}

fh_tensor Mixer::weight(compute::Recording& recording, const PassSettings& pass, size_t i) const {
  return recording.read(pass.target ? group_.target(i) : group_.online(i));
}

std::vector<fh_constant> Mixer::constants() const {
  return {constant("HEADS", heads_), constant("HEAD_DIM", head_dim_), constant("STATE", state_)};
}

std::vector<fh_constant> Mixer::conv_constants() const {
  std::vector<fh_constant> c = constants();
  c.push_back(constant("CONV", conv_));
  return c;
}

std::vector<fh_constant> Mixer::chunk_constants(int64_t steps) const {
  std::vector<fh_constant> c = constants();
  c.push_back(constant("CHUNK", std::min(steps, kChunk)));
  return c;
}

void Mixer::record_output(compute::Recording& recording, const PassSettings& pass, fh_tensor u, fh_tensor gated,
                          fh_tensor out) const {
  Recorder r = recording.recorder();
  Gemm g;
  g.beta = 1;
  r.copy(out, u);
  r.gemm(out, gated, weight(recording, pass, out_proj_), g);
}

void Mixer::record_step(compute::Recording& recording, const PassSettings& pass, const Activations& a, fh_tensor u,
                        int64_t t, fh_tensor valid_before, bool advance, fh_tensor out_handle) const {
  Recorder r = recording.recorder();
  const auto row = [&](compute::TensorId id) { return r.slice(recording.write(id), t); };
  const auto w = [&](size_t i) { return in(weight(recording, pass, i)); };
  const fh_tensor conv = recording.write(a.conv), state = recording.write(a.state);
  if (pass.backward && t == 0) {
    if (valid_before) throw Error("internal: an episode's end before step 0 of " + pass.prefix);
    r.copy(recording.write(a.conv_start), conv);
    r.copy(recording.write(a.state_start), state);
  }
  const fh_tensor projected = row(a.projected), gated = row(a.gated);
  r.gemm(projected, u, weight(recording, pass, in_proj_));
  r.launch(kernels::mamba_step, Grid::blocks(pass.accounts),
           {in(projected), w(conv_w_), w(conv_b_), w(a_log_), w(skip_), w(dt_bias_), w(gain_),
            in(flags(r, pass, valid_before)), inout(conv), inout(state), out(row(a.mixed)), out(row(a.y)), out(gated),
            i32(valid_before ? 1 : 0), i32(advance ? 1 : 0), i32(pass.accounts)},
           conv_constants());
  record_output(recording, pass, u, gated, out_handle);
}

void Mixer::record_sequence(compute::Recording& recording, const PassSettings& pass, const Activations& a, fh_tensor u,
                            fh_tensor valid, fh_tensor out_handle, fh_tensor conv_end, fh_tensor state_end) const {
  Recorder r = recording.recorder();
  const int64_t rows = r.shape_of(u).dim[0], B = pass.accounts, steps = rows / B;
  const auto part = [&](compute::TensorId id, int64_t columns) {
    return r.view(recording.write(id), 0, shape(rows, columns));
  };
  const auto w = [&](size_t i) { return in(weight(recording, pass, i)); };
  const auto conv_start = in(recording.read(a.conv_start)), state_start = in(recording.read(a.state_start));
  const Argument seen = in(flags(r, pass, valid)), masked = i32(valid ? 1 : 0), accounts = i32(B);
  const fh_tensor projected = part(a.projected, projected_), mixed = part(a.mixed, mixed_), y = part(a.y, channels_),
                  gated = part(a.gated, channels_);
  r.gemm(projected, u, weight(recording, pass, in_proj_));
  r.launch(kernels::conv_forward, Grid::blocks(rows),
           {in(projected), w(conv_w_), w(conv_b_), conv_start, seen, out(mixed), masked, accounts, i32(rows)},
           conv_constants());
  if (!state_end) state_end = r.scratch((pass.prefix + "/end/ssm").c_str(), shape(B, state_, channels_));
  r.launch(kernels::ssd_forward, Grid::blocks(B * heads_),
           {in(projected), in(mixed), w(a_log_), w(skip_), w(dt_bias_), state_start, seen, out(y), out(state_end),
            masked, i32(steps), accounts},
           chunk_constants(steps));
  if (conv_end)
    r.launch(kernels::conv_end, Grid::blocks(B),
             {in(projected), conv_start, seen, out(conv_end), masked, i32(steps), accounts}, conv_constants());
  if (!out_handle) return;
  r.launch(kernels::gated_norm_forward, Grid::blocks(rows), {in(projected), in(y), w(gain_), out(gated)}, constants());
  record_output(recording, pass, u, gated, out_handle);
}

void Mixer::record_backward(compute::Recording& recording, const PassSettings& pass, const Activations& a, fh_tensor u,
                            fh_tensor valid, fh_tensor grad) const {
  Recorder r = recording.recorder();
  const int64_t rows = r.shape_of(u).dim[0], B = pass.accounts, steps = rows / B;
  const auto part = [&](compute::TensorId id, int64_t columns) {
    return r.view(recording.read(id), 0, shape(rows, columns));
  };
  const auto scratch = [&](const char* name, fh_shape s) { return r.scratch((pass.prefix + "/" + name).c_str(), s); };
  const auto w = [&](size_t i) { return in(recording.read(group_.online(i))); };
  const auto grad_of = [&](size_t i) { return recording.write(group_.gradient(i)); };
  const auto sum = [&](const char* name, fh_tensor of, size_t i) {
    record_column_sum(recording, (pass.prefix + "/" + name).c_str(), of, grad_of(i));
  };
  const auto conv_start = in(recording.read(a.conv_start)), state_start = in(recording.read(a.state_start));
  const Argument seen = in(flags(r, pass, valid)), masked = i32(valid ? 1 : 0), accounts = i32(B);
  const fh_tensor projected = part(a.projected, projected_), mixed = part(a.mixed, mixed_), y = part(a.y, channels_),
                  gated = part(a.gated, channels_);
  const fh_tensor grad_projected = scratch("grad_projected", shape(rows, projected_)),
                  grad_gated = scratch("grad_gated", shape(rows, channels_)),
                  grad_y = scratch("grad_y", shape(rows, channels_)), grad_x = scratch("grad_x", shape(rows, channels_)),
                  terms = scratch("gate_gain_terms", shape(rows, channels_)),
                  grad_bc = scratch("grad_bc", shape(rows, heads_, 2 * state_)),
                  grad_mixed = scratch("grad_mixed", shape(rows, mixed_));
  Gemm of_weights, of_inputs;
  of_weights.transpose_a = true;
  of_inputs.transpose_b = true;

  r.gemm(grad_of(out_proj_), gated, grad, of_weights);
  r.gemm(grad_gated, grad, recording.read(group_.online(out_proj_)), of_inputs);
  r.launch(kernels::gated_norm_backward, Grid::blocks(rows),
           {in(projected), in(y), w(gain_), in(grad_gated), inout(grad_projected), out(grad_y), out(terms)}, constants());
  sum("gate_gain_partial", terms, gain_);

  const fh_tensor of_rate = scratch("A_log_terms", shape(B, heads_)), of_skip = scratch("D_terms", shape(B, heads_)),
                  of_bias = scratch("dt_bias_terms", shape(B, heads_));
  const int64_t chunk = std::min(steps, kChunk), borders = (steps - 1) / chunk;
  const fh_tensor states =
      scratch("chunk_states", shape(B * heads_, std::max<int64_t>(borders, 1), state_, head_dim_));
  r.launch(kernels::ssd_backward, Grid::blocks(B * heads_),
           {in(projected), in(mixed), w(a_log_), w(skip_), w(dt_bias_), state_start, seen, in(grad_y),
            inout(grad_projected), out(grad_x), out(grad_bc), out(of_rate), out(of_skip), out(of_bias), inout(states),
            masked, i32(steps), accounts},
           chunk_constants(steps));
  sum("A_log_partial", of_rate, a_log_);
  sum("D_partial", of_skip, skip_);
  sum("dt_bias_partial", of_bias, dt_bias_);

  r.launch(kernels::conv_grad_mixed, Grid::blocks(rows),
           {in(mixed), in(grad_x), in(grad_bc), out(grad_mixed), i32(rows)}, conv_constants());
  r.launch(kernels::conv_backward, Grid::blocks(rows),
           {in(grad_mixed), w(conv_w_), seen, inout(grad_projected), masked, accounts, i32(rows)}, conv_constants());
  const auto [blocks, rows_per_block] = row_blocks(rows);
  const fh_tensor partial = scratch("conv_w_partial", shape(blocks, conv_ * mixed_));
  r.launch(kernels::conv_weights_partial, Grid::blocks(blocks),
           {in(projected), conv_start, seen, in(grad_mixed), out(partial), masked, accounts, i32(rows),
            i32(rows_per_block)},
           conv_constants());
  r.launch(kernels::column_sum_finish, Grid::elements(conv_ * mixed_),
           {in(partial), out(grad_of(conv_w_)), f32(1), i32(blocks)}, {constant("COLUMNS", conv_ * mixed_)});
  sum("conv_b_partial", grad_mixed, conv_b_);

  r.gemm(grad_of(in_proj_), u, grad_projected, of_weights);
  of_inputs.beta = 1;
  r.gemm(grad, grad_projected, recording.read(group_.online(in_proj_)), of_inputs);
}

}  // namespace foxhunt::agent
