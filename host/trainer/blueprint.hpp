#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "agent.hpp"
#include "evaluation.hpp"

namespace foxhunt::trainer {

/// A configuration as environment, agent and recorded programs. Needs no device: what compiles ahead, draws the data
/// flow or opens a device begins with one.
struct Blueprint {
  /// Says on the log which market or task it got. `training`: false leaves out the iteration, for evaluation alone.
  Blueprint(const config::Config& config, plugins::Registry& plugins, bool training = true);

  Blueprint(const Blueprint&) = delete;  // the agent's environment refers to `train`
  Blueprint& operator=(const Blueprint&) = delete;

  /// All programs recorded.
  std::vector<const compute::Program*> programs() const;

  Plan plan;
  std::optional<market::Market> market;  ///< none where env.source is a control task
  environment::Feed train;
  std::unique_ptr<Agent> agent;
  std::unique_ptr<Evaluation> validation, test;  ///< null: the split leaves no rows for it
  std::optional<compute::Program> iteration;

 private:
  void trade(const config::Config& config, plugins::Registry& plugins);
  void control(const config::Config& config, plugins::Registry& plugins);
};

}  // namespace foxhunt::trainer
