#include <foxhunt/plugin.hpp>

#include "kernels.hpp"

namespace foxhunt::fixed_sizer {

/// position = share * target, whatever the risk.
class Fixed final : public PositionSizer {
 public:
  static constexpr std::array options = {
      option::real("share", 1, 0, 1, "share of the position an action asks for that is taken")};
  static constexpr std::array kernels = {&fixed_size};

  explicit Fixed(const Create& create) : share_(create.real("share")) {}

  void apply(Recorder& r, const Sizing& call) override {
    r.launch(fixed_size, Grid::elements(call.batch()),
             {in(call.target_position()), out(call.scale()), out(call.position()), f32(share_),
              i32(call.batch())});
  }

 private:
  double share_;
};

}  // namespace foxhunt::fixed_sizer

FOXHUNT_PLUGIN(foxhunt::fixed_sizer::Fixed, "fixed", "1.0.0",
               "A fixed share of the position an action asks for")
