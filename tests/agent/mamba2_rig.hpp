#pragma once
#include <cmath>
#include <map>

#include "agent/encoder.hpp"
#include "rig.hpp"

namespace foxhunt::agent::test {

struct Mamba2Shape {
  const char* name;
  int64_t steps, accounts;
  int64_t features, hidden, vsn_hidden, expand, head_dim, state, conv;
  bool norm;

  EncoderSettings settings() const {
    EncoderSettings s;
    s.kind = "mamba2";
    s.features = features;
    s.hidden = hidden;
    s.norm = norm;
    s.vsn_hidden = vsn_hidden;
    s.expand = expand;
    s.head_dim = head_dim;
    s.state = state;
    s.conv = conv;
    return s;
  }
  int64_t channels() const { return expand * hidden; }
  int64_t mixed() const { return channels() + 2 * state; }
  int64_t heads() const { return channels() / head_dim; }
};

/// Weights by name, as "conv_w". Small enough that no part of the block is saturated.
using Weights = std::map<std::string, std::vector<double>>;

/// The encoder by its formulas, step by step, one account: x [steps][features] to h [steps][hidden]; the state goes on
/// in `conv` [conv - 1][mixed] and `state` [channels][state].
class PlainMamba2 {
 public:
  PlainMamba2(const Mamba2Shape& s, const Weights& w)
      : s_(s), w_(w), conv(static_cast<size_t>(s.conv - 1), std::vector<double>(static_cast<size_t>(s.mixed()), 0)),
        state(static_cast<size_t>(s.channels()), std::vector<double>(static_cast<size_t>(s.state), 0)) {}

  void reset() {
    for (auto& row : conv) std::fill(row.begin(), row.end(), 0);
    for (auto& row : state) std::fill(row.begin(), row.end(), 0);
  }
  std::vector<double> step(const std::vector<double>& x);

 private:
  const std::vector<double>& at(const char* name) const { return w_.at(name); }
  std::vector<double> times(const std::vector<double>& v, const char* matrix, size_t columns) const {
    std::vector<double> result(columns, 0);
    const auto& m = at(matrix);
    for (size_t i = 0; i < v.size(); ++i)
      for (size_t j = 0; j < columns; ++j) result[j] += v[i] * m[i * columns + j];
    return result;
  }
  const Mamba2Shape& s_;
  const Weights& w_;

 public:
  std::vector<std::vector<double>> conv, state;
  std::vector<double> selection;  ///< of the last step
};

inline double silu(double v) { return v / (1 + std::exp(-v)); }

inline std::vector<double> rms_normalised(std::vector<double> v, const std::vector<double>& gain) {
  double squares = 0;
  for (const double e : v) squares += e * e;
  for (size_t i = 0; i < v.size(); ++i) v[i] *= gain[i] / std::sqrt(squares / static_cast<double>(v.size()) + 1e-5);
  return v;
}

inline std::vector<double> PlainMamba2::step(const std::vector<double>& x) {
  const auto size = [](int64_t n) { return static_cast<size_t>(n); };
  const size_t F = size(s_.features), H = size(s_.hidden), C = size(s_.channels()), N = size(s_.state),
               M = size(s_.mixed()), P = size(s_.head_dim), heads = size(s_.heads());
  std::vector<double> unit = times(x, "vsn_w1", size(s_.vsn_hidden));
  for (size_t i = 0; i < unit.size(); ++i) {
    unit[i] += at("vsn_b1")[i];
    if (unit[i] < 0) unit[i] = std::expm1(unit[i]);
  }
  selection = times(unit, "vsn_w2", F);
  double total = 0;
  for (size_t f = 0; f < F; ++f) total += selection[f] = std::exp(selection[f] + at("vsn_b2")[f]);
  std::vector<double> u(H, 0);
  for (size_t f = 0; f < F; ++f) {
    selection[f] /= total;
    for (size_t j = 0; j < H; ++j) u[j] += selection[f] * (x[f] * at("vsn_u")[f * H + j] + at("vsn_c")[f * H + j]);
  }
  const std::vector<double> projected = times(u, "in_proj", C + M + heads);
  std::vector<double> mixed(M);
  for (size_t c = 0; c < M; ++c) {
    mixed[c] = at("conv_b")[c] + at("conv_w")[conv.size() * M + c] * projected[C + c];
    for (size_t k = 0; k < conv.size(); ++k) mixed[c] += at("conv_w")[k * M + c] * conv[k][c];
    mixed[c] = silu(mixed[c]);
  }
  conv.emplace_back(projected.begin() + static_cast<long>(C), projected.begin() + static_cast<long>(C + M));
  conv.erase(conv.begin());
  std::vector<double> gated(C);
  for (size_t i = 0; i < C; ++i) {
    const size_t h = i / P;
    const double dt = std::log1p(std::exp(projected[C + M + h] + at("dt_bias")[h]));
    double y = at("D")[h] * mixed[i];
    for (size_t n = 0; n < N; ++n) {
      state[i][n] = std::exp(-dt * std::exp(at("A_log")[h])) * state[i][n] + dt * mixed[i] * mixed[C + n];
      y += state[i][n] * mixed[C + N + n];
    }
    gated[i] = y * silu(projected[i]);
  }
  std::vector<double> h = times(rms_normalised(gated, at("gate_gain")), "out_proj", H);
  for (size_t j = 0; j < H; ++j) h[j] += u[j];
  return s_.norm ? rms_normalised(h, at("norm_gain")) : h;
}

/// An encoder, a pass over a window, and the loss sum(h grad_h).
class Mamba2Chain {
 public:
  enum class Form { steps, sequence };
  Mamba2Chain(const Mamba2Shape& s, Form form, compute::Profile profile, int threads = 1, bool flags = true);

  void run() { rig.run(); }
  double loss();
  Weights weights() const;
  size_t count(const char* name) const;

  Mamba2Shape shape_of;
  Rig rig;
  ParameterGroup group{"policy", "/optimizer/policy", false};
  std::unique_ptr<Encoder> encoder;
  std::unique_ptr<Encoder::Pass> pass;
};

}  // namespace foxhunt::agent::test
