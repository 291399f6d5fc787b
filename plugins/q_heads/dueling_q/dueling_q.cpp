#include "../dueling/streams.hpp"
#include "kernels.hpp"

namespace foxhunt::dueling_q {

/// A dueling network of expected values (Wang et al. 2016, eq. 9): Q_a = V + A_a - mean_b A_b with A = h W_a + b_a, and V a
/// stream of the head's own, h w_v + b_v, or (`value = scalar`) the program's value head, which the loss then trains, too.
/// y = reward + discount * Q_target(h_next, a*); Huber's loss of the taken action's Q. With g its slope the gradients are
/// g to V, (1 - 1/N) g to A of the taken action and -g/N to the others.
///
/// state_value is mean_a Q, which is V; advantage is Q - state_value. Target: [B].
class DuelingQ final : public QHead {
 public:
  enum class Value { own, scalar };
  static constexpr std::array options = {
      option::choice("value", "own|scalar", "own", "V: a stream of the head's own, or the program's value head"),
      option::real("kappa", 1, 1e-9, 1e9, "errors above it count linearly (Huber)"), option::select(),
      option::select_temperature()};
  static constexpr std::array kernels = {&dueling::dueling_compose,   &dueling::dueling_split,
                                         &dueling::dueling_add_value, &dueling::dueling_value_gradient,
                                         &dueling::dueling_parts,     &dueling_q_target,
                                         &dueling_q_loss};

  explicit DuelingQ(const Create& create)
      : actions_(create.actions()),
        value_(static_cast<Value>(create.choice("value"))),
        kappa_(create.real("kappa")),
        select_(static_cast<Select>(create.choice("select"))),
        temperature_(create.real("select_temperature")),
        streams_(create.hidden(), create.actions(), 1) {
    const int64_t hidden = create.hidden();
    if (own()) {
      v_w_ = parameter("v_w", shape(hidden, 1), {"hidden", "value"}, Init::glorot_uniform());
      v_b_ = parameter("v_b", shape(1), {"value"}, Init::constant(0));
    } else {
      reads_value();
    }
    a_w_ = parameter("a_w", shape(hidden, actions_), {"hidden", "action"}, Init::glorot_uniform());
    a_b_ = parameter("a_b", shape(actions_), {"action"}, Init::constant(0));
    expected_q_ = output("expected_q", shape(any_batch, actions_));
    state_value_ = output("state_value", shape(any_batch));
    advantage_ = output("advantage", shape(any_batch, actions_));
    target(shape(any_batch));
    constants({constant("ACTIONS", actions_)});
  }

  void infer(Recorder& r, const Infer& call) override {
    const fh_tensor q = call.output(expected_q_);
    const dueling::Layer layer = composed(r, "", [&](Parameter p) { return call.weight(p); });
    values(r, q, layer, call.h(), call.value());
    if (call.wanted(state_value_) || call.wanted(advantage_))
      streams_.parts(r, q, call.output(state_value_), call.output(advantage_));
  }

  void learn(Recorder& r, const Learn& call) override {
    const int64_t batch = call.batch();
    const fh_shape all = shape(batch, actions_);
    const dueling::Layer online = composed(r, "", [&](Parameter p) { return call.online(p); });
    const dueling::Layer frozen = composed(r, "target_", [&](Parameter p) { return call.target(p); });
    const fh_tensor q = r.scratch("q", all), next = r.scratch("next", all);
    values(r, q, online, call.h(), call.value());
    values(r, next, frozen, call.h_next(), call.value_next());
    fh_tensor choosing = next;
    if (select_ == Select::online) {
      choosing = r.scratch("choosing", all);
      // The same V for all actions would choose none.
      r.gemm(choosing, call.h_select(), online.w, {.bias = online.b, .f32 = true});
    }
    const fh_tensor target = call.target_out(), grad_q = r.scratch("grad_q", all);
    r.launch(dueling_q_target, Grid::elements(batch),
             {in(next), in(choosing), in(call.reward()), in(call.discount()), out(target),
              i32(select_ == Select::expected_sarsa), f32(temperature_), i32(batch)},
             constants());
    r.launch(dueling_q_loss, Grid::elements(batch),
             {in(q), in(target), in(call.action()), out(call.loss()), out(grad_q), f32(kappa_),
              f32(1.0 / static_cast<double>(batch)), i32(batch)},
             constants());

    const dueling::Layer gradient = streams_.gradient(r);
    const fh_tensor ones = r.scratch("ones", shape(1, batch));
    r.fill(ones, 1);
    r.gemm(gradient.w, call.h(), grad_q, {.transpose_a = true});
    r.gemm(gradient.b, ones, grad_q);
    const dueling::Layer v = own() ? dueling::Layer{call.gradient(v_w_), call.gradient(v_b_)} : dueling::Layer{};
    streams_.split(r, gradient, v, {call.gradient(a_w_), call.gradient(a_b_)});
    if (call.grad_h() != 0) r.gemm(call.grad_h(), grad_q, online.w, {.transpose_b = true});
    if (call.grad_value() != 0) streams_.value_gradient(r, grad_q, call.grad_value());
  }

 private:
  bool own() const { return value_ == Value::own; }

  template <class Weight>
  dueling::Layer composed(Recorder& r, const std::string& name, const Weight& weight) const {
    const dueling::Layer v = own() ? dueling::Layer{weight(v_w_), weight(v_b_)} : dueling::Layer{};
    return streams_.compose(r, name, v, {weight(a_w_), weight(a_b_)});
  }

  void values(Recorder& r, fh_tensor q, const dueling::Layer& layer, fh_tensor h, fh_tensor value) const {
    r.gemm(q, h, layer.w, {.bias = layer.b, .f32 = true});
    if (!own()) streams_.add_value(r, value, q);
  }

  int64_t actions_;
  Value value_;
  double kappa_;
  Select select_;
  double temperature_;
  dueling::Streams streams_;
  Parameter v_w_, v_b_, a_w_, a_b_;
  Output expected_q_, state_value_, advantage_;
};

}  // namespace foxhunt::dueling_q

FOXHUNT_PLUGIN(foxhunt::dueling_q::DuelingQ, "dueling_q", "1.0.0",
               "Dueling Q-learning: a value stream and an advantage stream, expected values")
