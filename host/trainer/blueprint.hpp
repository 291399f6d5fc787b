#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "agent.hpp"
#include "evaluation.hpp"

namespace foxhunt::trainer {

/// A configuration as market, agent and recorded programs. Needs no device: what compiles ahead, draws the data
/// flow or opens a device begins with one.
struct Blueprint {
  /// Says on the log which market it got. `training`: false leaves out the iteration, for evaluation alone.
  Blueprint(const config::Config& config, plugins::Registry& plugins, bool training = true);

  /// All programs recorded.
  std::vector<const compute::Program*> programs() const;

  Plan plan;
  market::Market market;
  environment::Feed train;
  std::unique_ptr<Agent> agent;
  std::unique_ptr<Evaluation> validation, test;  ///< null: the split leaves no rows for it
  std::optional<compute::Program> iteration;
};

}  // namespace foxhunt::trainer
