#include "../dueling/streams.hpp"
#include "../iqn/implicit_quantiles.hpp"

namespace foxhunt::iqn_dueling {

namespace {

// Those of IQN, and one more.
constexpr auto with_output() {
  constexpr const auto& base = iqn::ImplicitQuantiles::options;
  std::array<fh_option, base.size() + 1> all{};
  std::copy(base.begin(), base.end(), all.begin());
  all.back() = option::choice("output", "composed|raw_advantage", "composed",
                              "what the head hands out: Q = V + A - mean_a A, or A alone; it learns Q either way");
  return all;
}

constexpr auto with_streams() {
  constexpr const auto& base = iqn::ImplicitQuantiles::kernels;
  std::array<const fh_kernel*, base.size() + 3> all{};
  std::copy(base.begin(), base.end(), all.begin());
  all[base.size()] = &dueling::dueling_compose;
  all[base.size() + 1] = &dueling::dueling_split;
  all[base.size() + 2] = &dueling::dueling_parts;
  return all;
}

}  // namespace

/// IQN with dueling streams (Wang et al. 2016, eq. 9) at every fraction: z(tau, a) = V(tau) + A(tau, a) - mean_b A(tau, b),
/// both linear in the features that tau modulates.
///
/// state_value is V_IQN = mean_a E_tau z(tau, a), which is E_tau V(tau); advantage is Q - V_IQN. With `raw_advantage` the
/// outputs expected_q, variance_q and quantiles are those of A(tau, a), bias and all: expected_q then differs from Q by a
/// number a state, the same for all actions.
class IqnDueling final : public iqn::ImplicitQuantiles {
 public:
  static constexpr auto options = with_output();
  static constexpr auto kernels = with_streams();

  explicit IqnDueling(const Create& create)
      : ImplicitQuantiles(create), raw_(create.choice("output") == 1), streams_(last(), actions(), 1) {
    v_w_ = parameter("v_w", shape(last(), 1), {last_axis(), "value"}, Init::glorot_uniform());
    v_b_ = parameter("v_b", shape(1), {"value"}, Init::constant(0));
    a_w_ = parameter("a_w", shape(last(), actions()), {last_axis(), "action"}, Init::glorot_uniform());
    a_b_ = parameter("a_b", shape(actions()), {"action"}, Init::constant(0));
    state_value_ = output("state_value", shape(any_batch));
    advantage_ = output("advantage", shape(any_batch, actions()));
  }

  void infer(Recorder& r, const Infer& call) override {
    const int64_t batch = call.batch();
    const fh_shape all = shape(batch, actions());
    const Weights weight = [&](Parameter p) { return call.weight(p); };
    const bool parts = call.wanted(state_value_) || call.wanted(advantage_);
    fh_tensor q = call.output(expected_q_);
    if (raw_)
      record_quantiles(r, "raw_", call, {weight(a_w_), weight(a_b_)}, call.output(quantiles_), q, call.output(variance_q_));
    if (!raw_)
      record_quantiles(r, "", call, last_layer(r, "", weight), call.output(quantiles_), q, call.output(variance_q_));
    else if (parts)
      record_quantiles(r, "", call, last_layer(r, "", weight), r.scratch("composed_z", shape(batch, samples(), actions())),
                       q = r.scratch("composed_q", all), r.scratch("composed_variance", all));
    if (parts) streams_.parts(r, q, call.output(state_value_), call.output(advantage_));
  }

 private:
  static Layer layer(const dueling::Layer& l) { return {l.w, l.b}; }

  Layer last_layer(Recorder& r, const std::string& name, const Weights& weight) const override {
    return layer(streams_.compose(r, name, {weight(v_w_), weight(v_b_)}, {weight(a_w_), weight(a_b_)}));
  }
  Layer last_gradient(Recorder& r, const Learn&) const override { return layer(streams_.gradient(r)); }
  void take_last_gradient(Recorder& r, const Learn& call, const Layer& of) const override {
    streams_.split(r, {of.w, of.b}, {call.gradient(v_w_), call.gradient(v_b_)}, {call.gradient(a_w_), call.gradient(a_b_)});
  }

  bool raw_;
  dueling::Streams streams_;
  Parameter v_w_, v_b_, a_w_, a_b_;
  Output state_value_, advantage_;
};

}  // namespace foxhunt::iqn_dueling

FOXHUNT_PLUGIN(foxhunt::iqn_dueling::IqnDueling, "iqn_dueling", "1.0.0",
               "Implicit quantile network with a value stream and an advantage stream at every fraction")
