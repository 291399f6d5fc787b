#include <foxhunt/plugin.hpp>

using namespace foxhunt;

FOXHUNT_KERNEL(kelly_size, "kelly.cu", 256,
               FOXHUNT_PARAMS({"expected_q", FH_F32, FH_IN}, {"variance_q", FH_F32, FH_IN}, {"action", FH_I32, FH_IN},
                              {"target_position", FH_F32, FH_IN}, {"scale", FH_F32, FH_OUT},
                              {"position", FH_F32, FH_OUT}, {"fraction", FH_F32, FH_SCALAR},
                              {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

/// A fraction of Kelly's bet: the expected return of the taken action over its variance, both in units of reward.
class Sizer final : public PositionSizer {
 public:
  static constexpr std::array options = {option::real("fraction", 0.25, 0, 1, "of Kelly's bet that is taken")};
  static constexpr std::array kernels = {&kelly_size};
  static constexpr uint32_t needs = FH_NEEDS_EXPECTED_Q | FH_NEEDS_VARIANCE_Q;

  explicit Sizer(const Create& create) : fraction_(create.real("fraction")) {
    constants({constant("ACTIONS", create.actions())});
  }

  void apply(Recorder& r, const Sizing& call) override {
    r.launch(kelly_size, Grid::elements(call.batch()),
             {in(call.expected_q()), in(call.variance_q()), in(call.action()), in(call.target_position()),
              out(call.scale()), out(call.position()), f32(fraction_), i32(call.batch())},
             constants());
  }

 private:
  double fraction_;
};

FOXHUNT_PLUGIN(Sizer, "kelly", "1.0.0", "A fraction of Kelly's bet: expected return over variance of the taken action")
