#include <foxhunt/plugin.hpp>

using namespace foxhunt;

/// V(h) = h w and A(h, a) = h u: no expected_q, no loss. Its controllers have every type.
class Values final : public QHead {
 public:
  explicit Values(const Create& create) {
    w_ = parameter("w", shape(create.hidden(), 1), {"hidden", "value"}, Init::glorot_uniform(1));
    u_ = parameter("u", shape(create.hidden(), create.actions()), {"hidden", "action"}, Init::glorot_uniform(1));
    v_ = output("state_value", shape(any_batch));
    a_ = output("advantage", shape(any_batch, create.actions()));
    controller("f32", shape(2), FH_F32, 0.5);
    controller("f64", shape(2), FH_F64, -0.1);
    controller("i32", shape(2), FH_I32, -7);
    controller("u32", shape(2), FH_U32, 4000000000.0);
    controller("i64", shape(2), FH_I64, -5000000000.0);
    controller("u64", shape(2), FH_U64, 5000000000.0);
    controller("u8", shape(2), FH_U8, 200);
  }

  void infer(Recorder& r, const Infer& call) override {
    r.gemm(r.reshape(call.output(v_), shape(call.batch(), 1)), call.h(), call.weight(w_));
    r.gemm(call.output(a_), call.h(), call.weight(u_));
  }

  void learn(Recorder& r, const Learn& call) override {
    r.fill(call.loss(), 0);
    r.fill(call.gradient(w_), 0);
    r.fill(call.gradient(u_), 0);
  }

 private:
  Parameter w_, u_;
  Output v_, a_;
};

FOXHUNT_PLUGIN(Values, "values", "1.0.0", "V and A apart, without Q")
