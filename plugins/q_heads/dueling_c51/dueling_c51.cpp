#include "../c51/kernels.hpp"
#include "../dueling/streams.hpp"
#include "kernels.hpp"

namespace foxhunt::dueling_c51 {

/// Categorical DQN with dueling streams (Wang et al. 2016, eq. 9, over C51; `per_atom` as in Rainbow, Hessel et al. 2018):
///
///   logits[B,N,Z] = V + A - mean_a A,   A[B,N,Z] = h W_a + b_a,
///
/// V one number a state and atom (`per_atom`, h W_v + b_v), or one number a state, the program's value head (`scalar`).
/// A softmax over the atoms cannot see the latter: the outputs are those of C51 on A - mean_a A, and the gradient of V is 0
/// but for rounding. Since the mean over the actions of these logits does not depend on A, sum_a log p_a(z) is the same
/// number for all z: no such head fits one target for all actions.
///
/// `target` is what the taken action's distribution is fitted to:
///   joint             reward + discount * Z(h_next, a*) on the atoms, as C51
///   scalar_bootstrap  reward + discount * V(h_next) - V(h), one number, on the atoms, which are then those of the advantage.
///                     Given the reward and h_next it depends on no action, neither a* nor the one taken. Converged,
///                     E[A | a] - E[A | b] is the advantage under the policy that V evaluates: policy evaluation, no control.
///   broadcast         the same, to which *every* action is fitted, taken or not: their differences vanish.
/// With the last two and `value = scalar` the logits are A alone, and V(h) is added to the expected values.
///
/// state_value is mean_a Q, advantage Q - state_value. Target: [B,Z].
class DuelingC51 final : public QHead {
 public:
  enum class Value { scalar, per_atom };
  enum class Target { joint, scalar_bootstrap, broadcast };
  static constexpr std::array options = {
      option::integer("atoms", 21, 2, 1024, "number of atoms of the distribution"),
      option::real("v_min", -3, -1e9, 1e9, "value of the first atom"),
      option::real("v_max", 3, -1e9, 1e9, "value of the last atom"),
      option::choice("value", "scalar|per_atom", "scalar", "V in the logits: the program's value head, or a stream with Z numbers"),
      option::choice("target", "joint|scalar_bootstrap|broadcast", "joint",
                     "the next state's distribution; r + discount V' - V for the taken action; the same for all actions"),
      option::select(), option::select_temperature()};
  static constexpr std::array kernels = {
      &c51::c51_support,           &c51::c51_distributions,       &c51::c51_target,
      &c51::c51_loss,              &dueling::dueling_compose,     &dueling::dueling_split,
      &dueling::dueling_add_value, &dueling::dueling_value_gradient, &dueling::dueling_parts,
      &dueling_c51_scalar_target,  &dueling_c51_broadcast_loss};

  explicit DuelingC51(const Create& create)
      : actions_(create.actions()),
        atoms_(create.integer("atoms")),
        width_(actions_ * atoms_),
        v_min_(create.real("v_min")),
        value_(static_cast<Value>(create.choice("value"))),
        target_(static_cast<Target>(create.choice("target"))),
        select_(static_cast<Select>(create.choice("select"))),
        temperature_(create.real("select_temperature")),
        streams_(create.hidden(), actions_, atoms_) {
    const double v_max = create.real("v_max");
    if (!(v_min_ < v_max)) throw Error("v_min (" + std::to_string(v_min_) + ") must be below v_max (" + std::to_string(v_max) + ")");
    delta_ = (v_max - v_min_) / static_cast<double>(atoms_ - 1);
    const int64_t hidden = create.hidden();
    if (value_ == Value::per_atom) {
      v_w_ = parameter("v_w", shape(hidden, atoms_), {"hidden", "atom"}, Init::glorot_uniform());
      v_b_ = parameter("v_b", shape(atoms_), {"atom"}, Init::constant(0));
    }
    a_w_ = parameter("a_w", shape(hidden, width_), {"hidden", "action_atom"}, Init::glorot_uniform());
    a_b_ = parameter("a_b", shape(width_), {"action_atom"}, Init::constant(0));
    if (value_ == Value::scalar || !joint()) reads_value();
    expected_q_ = output("expected_q", shape(any_batch, actions_));
    variance_q_ = output("variance_q", shape(any_batch, actions_));
    log_probs_ = output("log_probs", shape(any_batch, actions_, atoms_));
    support_ = output("support", shape(atoms_));
    state_value_ = output("state_value", shape(any_batch));
    advantage_ = output("advantage", shape(any_batch, actions_));
    target(shape(any_batch, atoms_));
    constants({constant("ACTIONS", actions_), constant("ATOMS", atoms_)});
  }

  void infer(Recorder& r, const Infer& call) override {
    const int64_t batch = call.batch(), rows = batch * actions_;
    const fh_tensor log_probs = call.output(log_probs_), q = call.output(expected_q_);
    const dueling::Layer layer = logits_layer(r, "", [&](Parameter p) { return call.weight(p); });
    r.gemm(r.reshape(log_probs, shape(batch, width_)), call.h(), layer.w, {.bias = layer.b, .f32 = true});
    r.launch(c51::c51_distributions, Grid::elements(rows),
             {inout(log_probs), out(q), out(call.output(variance_q_)), f32(v_min_), f32(delta_), i32(rows)}, constants());
    if (call.wanted(support_))
      r.launch(c51::c51_support, Grid::elements(atoms_), {out(call.output(support_)), f32(v_min_), f32(delta_)}, constants());
    // The atoms are then those of the advantage alone.
    if (!joint()) streams_.add_value(r, call.value(), q);
    if (call.wanted(state_value_) || call.wanted(advantage_))
      streams_.parts(r, q, call.output(state_value_), call.output(advantage_));
  }

  void learn(Recorder& r, const Learn& call) override {
    const int64_t batch = call.batch();
    const dueling::Layer online = logits_layer(r, "", [&](Parameter p) { return call.online(p); });
    const fh_tensor logits = r.scratch("logits", shape(batch, width_)), grad_logits = r.scratch("grad_logits", shape(batch, width_));
    r.gemm(logits, call.h(), online.w, {.bias = online.b, .f32 = true});
    const bool value_in_logits = joint() && value_ == Value::scalar;
    if (value_in_logits) streams_.add_value(r, call.value(), logits);

    const fh_tensor target = call.target_out();
    if (joint())
      joint_target(r, call, online, target);
    else
      scalar_target(r, call, target);
    const double scale = 1.0 / static_cast<double>(batch);
    if (target_ == Target::broadcast)
      r.launch(dueling_c51_broadcast_loss, Grid::blocks(batch),
               {in(logits), in(target), out(call.loss()), out(grad_logits), f32(scale), i32(batch)}, constants());
    else
      r.launch(c51::c51_loss, Grid::blocks(batch),
               {in(logits), in(target), in(call.action()), out(call.loss()), out(grad_logits), f32(scale), i32(batch)},
               constants());

    const bool direct = direct_logits();
    const dueling::Layer a{call.gradient(a_w_), call.gradient(a_b_)}, to = direct ? a : streams_.gradient(r);
    const fh_tensor ones = r.scratch("ones", shape(1, batch));
    r.fill(ones, 1);
    r.gemm(to.w, call.h(), grad_logits, {.transpose_a = true});
    r.gemm(to.b, ones, grad_logits);
    if (!direct)
      streams_.split(r, to, value_ == Value::per_atom ? dueling::Layer{call.gradient(v_w_), call.gradient(v_b_)} : dueling::Layer{},
                     a);
    if (call.grad_h() != 0) r.gemm(call.grad_h(), grad_logits, online.w, {.transpose_b = true});
    if (call.grad_value() == 0) return;
    if (value_in_logits)
      streams_.value_gradient(r, grad_logits, call.grad_value());
    else
      r.fill(call.grad_value(), 0);  // V is a constant in the target
  }

 private:
  bool joint() const { return target_ == Target::joint; }
  /// The logits are A, without streams.
  bool direct_logits() const { return !joint() && value_ == Value::scalar; }

  template <class Weight>
  dueling::Layer logits_layer(Recorder& r, const std::string& name, const Weight& weight) const {
    const dueling::Layer a{weight(a_w_), weight(a_b_)};
    if (direct_logits()) return a;
    const dueling::Layer v = value_ == Value::per_atom ? dueling::Layer{weight(v_w_), weight(v_b_)} : dueling::Layer{};
    return streams_.compose(r, name, v, a);
  }

  void joint_target(Recorder& r, const Learn& call, const dueling::Layer& online, fh_tensor target) const {
    const int64_t batch = call.batch();
    const bool online_selects = select_ == Select::online;
    const dueling::Layer frozen = logits_layer(r, "target_", [&](Parameter p) { return call.target(p); });
    const fh_tensor next = r.scratch("next_target", shape(batch, width_));
    r.gemm(next, call.h_next(), frozen.w, {.bias = frozen.b, .f32 = true});
    const fh_tensor choosing = online_selects ? r.scratch("next_online", shape(batch, width_)) : next;
    if (online_selects) r.gemm(choosing, call.h_select(), online.w, {.bias = online.b, .f32 = true});
    r.launch(c51::c51_target, Grid::blocks(batch),
             {in(next), in(choosing), in(call.reward()), in(call.discount()), out(target), f32(v_min_ / delta_), f32(delta_),
              i32(online_selects), i32(select_ == Select::expected_sarsa), f32(temperature_), i32(batch)},
             constants());
  }

  void scalar_target(Recorder& r, const Learn& call, fh_tensor target) const {
    dueling::Streams::require(call.value());
    dueling::Streams::require(call.value_next());
    r.launch(dueling_c51_scalar_target, Grid::elements(call.batch() * atoms_),
             {in(call.reward()), in(call.discount()), in(call.value()), in(call.value_next()), out(target),
              f32(v_min_ / delta_), f32(delta_), i32(call.batch())},
             constants());
  }

  int64_t actions_, atoms_, width_;
  double v_min_;
  Value value_;
  Target target_;
  Select select_;
  double temperature_, delta_ = 0;
  dueling::Streams streams_;
  Parameter v_w_, v_b_, a_w_, a_b_;
  Output expected_q_, variance_q_, log_probs_, support_, state_value_, advantage_;
};

}  // namespace foxhunt::dueling_c51

FOXHUNT_PLUGIN(foxhunt::dueling_c51::DuelingC51, "dueling_c51", "1.0.0",
               "Categorical DQN with a value stream (scalar or per atom) and an advantage stream")
