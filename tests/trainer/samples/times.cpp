#include <foxhunt/plugin.hpp>

using namespace foxhunt;

/// r' = factor r, with a factor that is a controller.
class Times final : public RewardShaper {
 public:
  explicit Times(const Create&) { factor_ = controller("factor", foxhunt::shape(1), FH_F32, 2.5); }

  void shape(Recorder& r, const Shaping& call) override {
    const fh_shape column = foxhunt::shape(call.count(), 1);
    r.gemm(r.reshape(call.shaped(), column), r.reshape(call.reward(), column), r.reshape(call.controller(factor_), foxhunt::shape(1, 1)));
  }

 private:
  Controller factor_;
};

FOXHUNT_PLUGIN(Times, "times", "1.0.0", "Rewards times a factor")
