#include <foxhunt/plugin.hpp>

#include "kernels.hpp"

namespace foxhunt::qr_dqn {

/// QR-DQN (Dabney et al. 2018a): z[B,K,N] = h W + b, the quantiles of every action's return at the midpoints
/// (2i + 1) / 2K. Loss: quantile Huber divided by kappa, summed over the online quantiles, averaged over the targets
/// reward + discount * z(h_next, a*).
///
/// Target: [B,K]; with select = expected_sarsa [B,2,N*K]: the values of all actions, then their weights, which sum to 1.
class QrDqn final : public QHead {
 public:
  static constexpr std::array options = {
      option::integer("quantiles", 32, 1, 1024, "number of quantiles of the return's distribution"),
      option::real("kappa", 1, 0, 1e9, "errors above it count linearly; 0: all do (pinball loss)"), option::select(),
      option::select_temperature()};
  static constexpr std::array kernels = {&qr_moments, &qr_target, &qr_loss};

  explicit QrDqn(const Create& create)
      : actions_(create.actions()),
        quantiles_(create.integer("quantiles")),
        kappa_(create.real("kappa")),
        select_(static_cast<Select>(create.choice("select"))),
        temperature_(create.real("select_temperature")) {
    const int64_t width = quantiles_ * actions_;
    w_ = parameter("w", shape(create.hidden(), width), {"hidden", "quantile_action"}, Init::glorot_uniform());
    b_ = parameter("b", shape(width), {"quantile_action"}, Init::constant(0));
    expected_q_ = output("expected_q", shape(any_batch, actions_));
    variance_q_ = output("variance_q", shape(any_batch, actions_));
    z_ = output("quantiles", shape(any_batch, quantiles_, actions_));
    target(mixed() ? shape(any_batch, 2, width) : shape(any_batch, quantiles_));
    constants({constant("ACTIONS", actions_), constant("QUANTILES", quantiles_)});
  }

  void infer(Recorder& r, const Infer& call) override {
    const int64_t rows = call.batch() * actions_;
    const fh_tensor z = call.output(z_);
    r.gemm(r.reshape(z, shape(call.batch(), quantiles_ * actions_)), call.h(), call.weight(w_),
           {.bias = call.weight(b_), .f32 = true});
    r.launch(qr_moments, Grid::elements(rows),
             {in(z), out(call.output(expected_q_)), out(call.output(variance_q_)), i32(rows)}, constants());
  }

  void learn(Recorder& r, const Learn& call) override {
    const int64_t batch = call.batch();
    const fh_shape all = shape(batch, quantiles_ * actions_);
    const fh_tensor z = r.scratch("z", all), next = r.scratch("next", all);
    r.gemm(z, call.h(), call.online(w_), {.bias = call.online(b_), .f32 = true});
    r.gemm(next, call.h_next(), call.target(w_), {.bias = call.target(b_), .f32 = true});
    const fh_tensor choosing = select_ == Select::online ? r.scratch("choosing", all) : next;
    if (select_ == Select::online)
      r.gemm(choosing, call.h_select(), call.online(w_), {.bias = call.online(b_), .f32 = true});

    const fh_tensor target = call.target_out(), grad_z = r.scratch("grad_z", all);
    r.launch(qr_target, Grid::blocks(batch),
             {in(next), in(choosing), in(call.reward()), in(call.discount()), out(target), i32(mixed()),
              f32(temperature_), i32(batch)},
             constants());
    r.launch(qr_loss, Grid::blocks(batch),
             {in(z), in(target), in(call.action()), out(call.loss()), out(grad_z), i32(mixed()), f32(kappa_),
              f32(1.0 / static_cast<double>(batch)), i32(batch)},
             constants());

    r.gemm(call.gradient(w_), call.h(), grad_z, {.transpose_a = true});
    const fh_tensor ones = r.scratch("ones", shape(1, batch));
    r.fill(ones, 1);
    r.gemm(call.gradient(b_), ones, grad_z);
    if (call.grad_h() != 0) r.gemm(call.grad_h(), grad_z, call.online(w_), {.transpose_b = true});
  }

 private:
  bool mixed() const { return select_ == Select::expected_sarsa; }

  int64_t actions_, quantiles_;
  double kappa_;
  Select select_;
  double temperature_;
  Parameter w_, b_;
  Output expected_q_, variance_q_, z_;
};

}  // namespace foxhunt::qr_dqn

FOXHUNT_PLUGIN(foxhunt::qr_dqn::QrDqn, "qr_dqn", "1.0.0",
               "QR-DQN: quantiles of the return at fixed fractions per action")
