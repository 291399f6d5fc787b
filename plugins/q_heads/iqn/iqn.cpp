#include "implicit_quantiles.hpp"

namespace foxhunt::iqn {

/// IQN as published: the last layer is a parameter.
class Iqn final : public ImplicitQuantiles {
 public:
  explicit Iqn(const Create& create) : ImplicitQuantiles(create) {
    w_ = parameter("w", shape(last(), actions()), {last_axis(), "action"}, Init::glorot_uniform());
    b_ = parameter("b", shape(actions()), {"action"}, Init::constant(0));
  }

  void infer(Recorder& r, const Infer& call) override {
    record_quantiles(r, "", call, {call.weight(w_), call.weight(b_)}, call.output(quantiles_), call.output(expected_q_),
                     call.output(variance_q_));
  }

 private:
  Layer last_layer(Recorder&, const std::string&, const Weights& weight) const override { return {weight(w_), weight(b_)}; }
  Layer last_gradient(Recorder&, const Learn& call) const override { return {call.gradient(w_), call.gradient(b_)}; }

  Parameter w_, b_;
};

}  // namespace foxhunt::iqn

FOXHUNT_PLUGIN(foxhunt::iqn::Iqn, "iqn", "1.0.0", "Implicit quantile network: the return's quantile at any fraction per action")
