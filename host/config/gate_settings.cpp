#include "gate_settings.hpp"

namespace foxhunt::config {

const Layer& builtin_gates() {
  static const Layer layer = [] {
    Layer gates;
    for (const auto& [key, value] : {std::pair{"nan_abort.metric", "all"},
                                     {"nan_abort.op", "finite"},
                                     {"nan_abort.action", "abort"},
                                     {"q_pi_agree.metric", "q_pi_agree_ema"},
                                     {"q_pi_agree.op", "<"},
                                     {"q_pi_agree.value", "-0.3"},
                                     {"q_pi_agree.from", "100"},
                                     {"q_pi_agree.for", "10"},
                                     {"q_pi_agree.action", "abort"}})
      gates.push_back({std::string("gate.") + key, value, {.name = "default"}});
    return gates;
  }();
  return layer;
}

}  // namespace foxhunt::config
