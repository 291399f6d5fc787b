#pragma once
#include "option.hpp"

namespace foxhunt {

/// What chooses the action of the bootstrap: the argmax of the target net; the argmax of the online net (van Hasselt,
/// Guez & Silver 2016); nobody, all actions count with their probabilities under the target net's Boltzmann policy
/// (expected Sarsa, van Seijen et al. 2009). A distributional head then takes the mixture of their distributions.
/// For kernels: common/select.cuh.
enum class Select { target, online, expected_sarsa };

namespace option {

/// Every head that bootstraps has these two: `static_cast<Select>(create.choice("select"))`.
consteval fh_option select() {
  return choice("select", "target|double|expected_sarsa", "target",
                "action of the bootstrap: argmax of the target net, argmax of the online net, or the mixture under the "
                "target net's Boltzmann policy");
}
consteval fh_option select_temperature() {
  return real("select_temperature", 0.05, 1e-6, 1e6,
              "of the Boltzmann policy, in standard deviations of Q over the actions (expected_sarsa)");
}

}  // namespace option
}  // namespace foxhunt
