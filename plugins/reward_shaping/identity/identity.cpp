#include <foxhunt/plugin.hpp>

namespace foxhunt::identity {

/// r' = r.
class Identity final : public RewardShaper {
 public:
  explicit Identity(const Create&) {}
  void shape(Recorder& r, const Shaping& call) override { r.copy(call.shaped(), call.reward()); }
};

}  // namespace foxhunt::identity

FOXHUNT_PLUGIN(foxhunt::identity::Identity, "identity", "1.0.0", "Leaves rewards as they are")
