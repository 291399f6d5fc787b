#pragma once
#include "head.hpp"

namespace foxhunt::probe {

Inputs inputs_of(const plugins::RewardShaperInstance& shaper, int64_t count);
/// Records, runs once, leaves /shaped. The shaper's state is used as it is, not updated.
void run(Workbench& bench, const plugins::RewardShaperInstance& shaper, const Contents& inputs);

}  // namespace foxhunt::probe
