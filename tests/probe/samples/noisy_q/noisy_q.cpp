#include <foxhunt/plugin.hpp>

using namespace foxhunt;

FOXHUNT_KERNEL(noisy_q_loss, "noisy_q.cu", 256,
               FOXHUNT_PARAMS({"q", FH_F32, FH_IN}, {"jitter", FH_F32, FH_IN}, {"action", FH_I32, FH_IN},
                              {"reward", FH_F32, FH_IN}, {"discount", FH_F32, FH_IN}, {"offset", FH_F32, FH_IN},
                              {"loss", FH_F32, FH_OUT}, {"grad_q", FH_F32, FH_OUT}, {"scale", FH_F32, FH_SCALAR},
                              {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

/// A head with all that c51 lacks: random numbers, state of its own, and, if asked for, gradients that are wrong.
class NoisyQ final : public QHead {
 public:
  static constexpr std::array options = {option::real("fault", 0, 0, 1, "relative error of the gradients")};
  static constexpr std::array kernels = {&noisy_q_loss};

  explicit NoisyQ(const Create& create) : actions_(create.actions()), fault_(create.real("fault")) {
    w_ = parameter("w", shape(create.hidden(), actions_), {"hidden", "action"}, Init::glorot_uniform());
    q_ = output("expected_q", shape(any_batch, actions_));
    offset_ = controller("offset", shape(), FH_F32, 0);
    constants({constant("ACTIONS", actions_)});
  }

  void infer(Recorder& r, const Infer& call) override { r.gemm(call.output(q_), call.h(), call.weight(w_)); }

  void learn(Recorder& r, const Learn& call) override {
    const int64_t batch = call.batch();
    const fh_tensor q = r.scratch("q", shape(batch, actions_)), grad_q = r.scratch("grad_q", shape(batch, actions_));
    const fh_tensor jitter = r.noise("jitter", shape(batch), [&](fh_tensor t) { r.fill(t, 0.25); });
    r.gemm(q, call.h(), call.online(w_));
    r.launch(noisy_q_loss, Grid::elements(batch),
             {in(q), in(jitter), in(call.action()), in(call.reward()), in(call.discount()), in(call.controller(offset_)),
              out(call.loss()), out(grad_q), f32((1 + fault_) / static_cast<double>(batch)), i32(batch)},
             constants());
    r.gemm(call.gradient(w_), call.h(), grad_q, {.transpose_a = true});
    if (call.grad_h() != 0) r.gemm(call.grad_h(), grad_q, call.online(w_), {.transpose_b = true});
    r.fill(call.controller(offset_), 1);
  }

 private:
  int64_t actions_;
  double fault_;
  Parameter w_;
  Controller offset_;
  Output q_;
};

FOXHUNT_PLUGIN(NoisyQ, "noisy_q", "1.0.0", "A head for tests: noise, state, faults")
