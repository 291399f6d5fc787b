#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "agent.hpp"
#include "evaluation.hpp"

namespace foxhunt::trainer {

/// What a blueprint is for: an iteration of training and evaluation; evaluation alone; evaluation that looks at the critics.
enum class Purpose { training, evaluation, critics };

/// A configuration as environment, agent and recorded programs. Needs no device: what compiles ahead, draws the data
/// flow or opens a device begins with one.
struct Blueprint {
  /// Says on the log which market or task it got.
  Blueprint(const config::Config& config, plugins::Registry& plugins, Purpose purpose = Purpose::training);

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
  void trade(const config::Config& config, plugins::Registry& plugins, bool critics);
  void control(const config::Config& config, plugins::Registry& plugins);
};

}  // namespace foxhunt::trainer
