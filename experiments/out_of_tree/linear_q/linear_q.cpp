#include <foxhunt/plugin.hpp>

using namespace foxhunt;

FOXHUNT_KERNEL(linear_q_loss, "linear_q.cu", 256,
               FOXHUNT_PARAMS({"q", FH_F32, FH_IN}, {"q_next", FH_F32, FH_IN}, {"action", FH_I32, FH_IN},
                              {"reward", FH_F32, FH_IN}, {"discount", FH_F32, FH_IN},
                              {"loss", FH_F32, FH_OUT}, {"grad_q", FH_F32, FH_OUT},
                              {"scale", FH_F32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

/// Q(h, a) = h W + b, trained on r + discount * max_a' Q_target(h', a').
class Head final : public QHead {
 public:
  static constexpr std::array options = {option::real("gain", 1, 0, 10, "size of the initial weights")};
  static constexpr std::array kernels = {&linear_q_loss};

  explicit Head(const Create& create) : actions_(create.actions()) {
    w_ = parameter("w", shape(create.hidden(), actions_), {"hidden", "action"},
                   Init::glorot_uniform(create.real("gain")));
    b_ = parameter("b", shape(actions_), {"action"}, Init::constant(0));
    q_ = output("expected_q", shape(any_batch, actions_));
    constants({constant("ACTIONS", actions_)});
  }

  void infer(Recorder& r, const Infer& call) override {
    r.gemm(call.output(q_), call.h(), call.weight(w_), {.bias = call.weight(b_)});
  }

  void learn(Recorder& r, const Learn& call) override {
    const int64_t batch = call.batch();
    const fh_tensor q = r.scratch("q", shape(batch, actions_));
    const fh_tensor q_next = r.scratch("q_next", shape(batch, actions_));
    const fh_tensor grad_q = r.scratch("grad_q", shape(batch, actions_));
    const fh_tensor ones = r.scratch("ones", shape(1, batch));
    r.gemm(q, call.h(), call.online(w_), {.bias = call.online(b_)});
    r.gemm(q_next, call.h_next(), call.target(w_), {.bias = call.target(b_)});
    r.launch(linear_q_loss, Grid::elements(batch),
             {in(q), in(q_next), in(call.action()), in(call.reward()), in(call.discount()), out(call.loss()),
              out(grad_q), f32(1.0 / static_cast<double>(batch)), i32(batch)},
             constants());
    r.gemm(call.gradient(w_), call.h(), grad_q, {.transpose_a = true});
    r.fill(ones, 1);
    r.gemm(call.gradient(b_), ones, grad_q);
    if (call.grad_h() != 0) r.gemm(call.grad_h(), grad_q, call.online(w_), {.transpose_b = true});
  }

 private:
  int64_t actions_;
  Parameter w_, b_;
  Output q_;
};

FOXHUNT_PLUGIN(Head, "linear_q", "1.0.0", "A linear Q function, trained on the squared TD error")
