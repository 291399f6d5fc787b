#include <foxhunt/plugin.hpp>

using namespace foxhunt;

FOXHUNT_KERNEL(soft_clip_rewards, "soft_clip.cu", 256,
               FOXHUNT_PARAMS({"reward", FH_F32, FH_IN}, {"shaped", FH_F32, FH_OUT}, {"limit", FH_F32, FH_SCALAR},
                              {"count", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

/// Small rewards stay as they are, large ones never exceed the limit; the order of all is kept.
class Shaper final : public RewardShaper {
 public:
  static constexpr std::array options = {option::real("limit", 1, 1e-6, 1e6, "that no shaped reward exceeds")};
  static constexpr std::array kernels = {&soft_clip_rewards};

  explicit Shaper(const Create& create) : limit_(create.real("limit")) {}

  void shape(Recorder& r, const Shaping& call) override {
    r.launch(soft_clip_rewards, Grid::elements(call.count()),
             {in(call.reward()), out(call.shaped()), f32(limit_), i32(call.count())});
  }

 private:
  double limit_;
};

FOXHUNT_PLUGIN(Shaper, "soft_clip", "1.0.0", "Large rewards are pressed below a limit: limit * tanh(r / limit)")
