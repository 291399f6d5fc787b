#pragma once
#include "head.hpp"

namespace foxhunt::probe {

/// `atoms`: Z of /log_probs and /support.
Inputs inputs_of(const plugins::PositionSizerInstance& sizer, int64_t batch, int64_t actions, int64_t atoms);
/// Mean and variance of every action's return.
struct Moments {
  std::vector<double> mean, variance;  ///< [batch, action]
};
Moments moments(const Values& log_probs, const Values& support);
/// Records, runs once, leaves /scale and /position.
void run(Workbench& bench, const plugins::PositionSizerInstance& sizer, const Contents& inputs);

}  // namespace foxhunt::probe
