#include <foxhunt/plugin.hpp>

#include "kernels.hpp"

namespace foxhunt::variance_sizer {

/// position = target / (1 + sqrt(Var[a])), Var the variance of the taken action's return under the risk
/// source. Neither Kelly's fraction nor invariant to the reward's scale; projection onto few atoms inflates
/// Var.
class Variance final : public PositionSizer {
 public:
  static constexpr std::array kernels = {&variance_size};
  static constexpr uint32_t needs = FH_NEEDS_VARIANCE_Q;

  explicit Variance(const Create& create) {
    constants({constant("ACTIONS", create.actions())});
  }

  void apply(Recorder& r, const Sizing& call) override {
    r.launch(variance_size, Grid::elements(call.batch()),
             {in(call.variance_q()), in(call.action()), in(call.target_position()), out(call.scale()),
              out(call.position()), i32(call.batch())},
             constants());
  }
};

}  // namespace foxhunt::variance_sizer

FOXHUNT_PLUGIN(foxhunt::variance_sizer::Variance, "variance", "1.0.0",
               "Smaller positions where the return's distribution is wide: 1 / (1 + standard deviation)")
