#include <charconv>
#include <foxhunt/plugin.hpp>

#include "kernels.hpp"

namespace foxhunt::c51 {

/// Categorical DQN (Bellemare, Dabney & Munos 2017): logits[B,N,Z] = h W + b, a softmax over Z atoms on
/// [v_min, v_max] for every action. Loss: cross-entropy of the taken action against the projected
/// distribution of reward + discount * Z(h_next, a*).
///
/// With `per_action_support` every action has atoms of its own, over the range of its own returns (mean ± support_width
/// deviations of the targets, running averages of rate support_rate), inside [v_min, v_max]: the mass of a*'s atoms goes to
/// those of the action taken. Both nets share these supports, which move far more slowly than a target net follows. They
/// are controllers low [N] and delta [N]; without one set of atoms for all the head offers no `support`.
class C51 final : public QHead {
 public:
  static constexpr std::array options = {
      option::integer("atoms", 21, 2, 1024, "number of atoms of the return's distribution"),
      option::real("v_min", -3, -1e9, 1e9, "value of the first atom"),
      option::real("v_max", 3, -1e9, 1e9, "value of the last atom"),
      option::select(), option::select_temperature(),
      option::boolean("per_action_support", false, "every action has atoms of its own, inside [v_min, v_max]"),
      option::real("support_rate", 1e-3, 0, 1, "per_action_support: rate of the running averages of each action's returns; 0: its support stays"),
      option::real("support_width", 3, 0.1, 100, "per_action_support: half a support in standard deviations of those returns")};
  static constexpr std::array kernels = {&c51_support, &c51_distributions,        &c51_target,        &c51_loss,
                                         &c51_action_distributions, &c51_action_target, &c51_action_support};

  explicit C51(const Create& create)
      : hidden_(create.hidden()),
        actions_(create.actions()),
        atoms_(create.integer("atoms")),
        v_min_(create.real("v_min")),
        v_max_(create.real("v_max")),
        select_(static_cast<Select>(create.choice("select"))),
        temperature_(create.real("select_temperature")),
        per_action_(create.boolean("per_action_support")),
        rate_(create.real("support_rate")),
        support_width_(create.real("support_width")) {
    if (!(v_min_ < v_max_))
      throw Error("v_min (" + text(v_min_) + ") must be below v_max (" + text(v_max_) + ")");
    delta_ = (v_max_ - v_min_) / static_cast<double>(atoms_ - 1);
    const int64_t width = actions_ * atoms_;
    w_ = parameter("w", shape(hidden_, width), {"hidden", "action_atom"}, Init::glorot_uniform());
    b_ = parameter("b", shape(width), {"action_atom"}, Init::constant(0));
    expected_q_ = output("expected_q", shape(any_batch, actions_));
    variance_q_ = output("variance_q", shape(any_batch, actions_));
    log_probs_ = output("log_probs", shape(any_batch, actions_, atoms_));
    if (per_action_) {
      // As if the returns so far had filled all of [v_min, v_max].
      const double mean = (v_min_ + v_max_) / 2, deviation = (v_max_ - v_min_) / (2 * support_width_);
      low_ = controller("low", shape(actions_), FH_F32, v_min_);
      action_delta_ = controller("delta", shape(actions_), FH_F32, delta_);
      mean_ = controller("return_mean", shape(actions_), FH_F32, mean);
      square_ = controller("return_square", shape(actions_), FH_F32, deviation * deviation + mean * mean);
    } else {
      support_ = output("support", shape(atoms_));
    }
    target(shape(any_batch, atoms_));
    constants({constant("ACTIONS", actions_), constant("ATOMS", atoms_)});
  }

  void infer(Recorder& r, const Infer& call) override {
    const int64_t rows = call.batch() * actions_;
    const fh_tensor log_probs = call.output(log_probs_);
    r.gemm(r.reshape(log_probs, shape(call.batch(), actions_ * atoms_)), call.h(), call.weight(w_),
           {.bias = call.weight(b_), .f32 = true});
    if (per_action_) {
      r.launch(c51_action_distributions, Grid::elements(rows),
               {inout(log_probs), in(call.controller(low_)), in(call.controller(action_delta_)), out(call.output(expected_q_)),
                out(call.output(variance_q_)), i32(rows)},
               constants());
      return;
    }
    r.launch(c51_distributions, Grid::elements(rows),
             {inout(log_probs), out(call.output(expected_q_)), out(call.output(variance_q_)), f32(v_min_),
              f32(delta_), i32(rows)},
             constants());
    if (call.wanted(support_))
      r.launch(c51_support, Grid::elements(atoms_), {out(call.output(support_)), f32(v_min_), f32(delta_)},
               constants());
  }

  void learn(Recorder& r, const Learn& call) override {
    const int64_t batch = call.batch(), width = actions_ * atoms_;
    const fh_tensor logits = r.scratch("logits", shape(batch, width));
    const fh_tensor next_target = r.scratch("next_target", shape(batch, width));
    r.gemm(logits, call.h(), call.online(w_), {.bias = call.online(b_), .f32 = true});
    r.gemm(next_target, call.h_next(), call.target(w_), {.bias = call.target(b_), .f32 = true});
    const bool online_selects = select_ == Select::online;
    const fh_tensor next_online =
        online_selects ? r.scratch("next_online", shape(batch, width)) : next_target;
    if (online_selects) r.gemm(next_online, call.h_select(), call.online(w_), {.bias = call.online(b_), .f32 = true});

    const fh_tensor target = call.target_out();
    if (per_action_)
      action_target(r, call, next_target, next_online, target);
    else
      r.launch(c51_target, Grid::blocks(batch),
             {in(next_target), in(next_online), in(call.reward()), in(call.discount()), out(target),
              f32(v_min_ / delta_), f32(delta_), i32(online_selects),
              i32(select_ == Select::expected_sarsa), f32(temperature_), i32(batch)},
             constants());

    const fh_tensor grad_logits = r.scratch("grad_logits", shape(batch, width));
    r.launch(c51_loss, Grid::blocks(batch),
             {in(logits), in(target), in(call.action()), out(call.loss()), out(grad_logits),
              f32(1.0 / static_cast<double>(batch)), i32(batch)},
             constants());

    r.gemm(call.gradient(w_), call.h(), grad_logits, {.transpose_a = true});
    const fh_tensor ones = r.scratch("ones", shape(1, batch));
    r.fill(ones, 1);
    r.gemm(call.gradient(b_), ones, grad_logits);
    if (call.grad_h() != 0) r.gemm(call.grad_h(), grad_logits, call.online(w_), {.transpose_b = true});
  }

 private:
  void action_target(Recorder& r, const Learn& call, fh_tensor next, fh_tensor choosing, fh_tensor target) const {
    const int64_t batch = call.batch();
    const fh_tensor low = call.controller(low_), delta = call.controller(action_delta_), moments = r.scratch("moments", shape(batch, 2));
    r.launch(c51_action_target, Grid::blocks(batch),
             {in(next), in(choosing), in(call.reward()), in(call.discount()), in(call.action()), in(low), in(delta), out(target),
              out(moments), i32(select_ == Select::expected_sarsa), f32(temperature_), i32(batch)},
             constants());
    if (rate_ > 0)
      r.launch(c51_action_support, Grid::blocks(actions_),
             {in(moments), in(call.action()), inout(call.controller(mean_)), inout(call.controller(square_)), inout(low), inout(delta),
              f32(rate_), f32(support_width_), f32(v_min_), f32(v_max_), f32(delta_), i32(batch)},
             constants());
  }

  static std::string text(double v) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, v).ptr};
  }

  int64_t hidden_, actions_, atoms_;
  double v_min_, v_max_;
  Select select_;
  double temperature_;
  bool per_action_;
  double rate_, support_width_, delta_ = 0;
  Parameter w_, b_;
  Controller low_, action_delta_, mean_, square_;
  Output expected_q_, variance_q_, log_probs_, support_;
};

}  // namespace foxhunt::c51

FOXHUNT_PLUGIN(foxhunt::c51::C51, "c51", "1.0.0",
               "Categorical DQN: a distribution of the return on fixed atoms per action")
