#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "blueprint.hpp"
#include "state.hpp"

namespace foxhunt::trainer {

/// A configuration made ready to run on a device: market, agent, evaluation, compiled programs.
class Session {
 public:
  /// Builds all of it; says on the log what device, market and kernels it got.
  Session(const config::Config& config, plugins::Registry& plugins, Purpose purpose = Purpose::training);

  /// Initial weights and accounts.
  void initialise();
  /// The whole state from a checkpoint. @throws foxhunt::Error, and changes nothing, if it does not fit.
  void resume(const checkpoints::Reader& file);
  /// Takes over encoder, policy, value and heads as far as they match; returns what did not.
  /// Begins from all of the checkpoint's state that this configuration has a place for, at the checkpoint's iteration: what is
  /// the same in both then goes on with the same numbers.
  checkpoints::Match fork_from(const checkpoints::Reader& file);
  checkpoints::Match init_from(const checkpoints::Reader& file);
  /// Takes over what evaluation reads (the weights that act; for Purpose::critics all critics', too); all of it must be there.
  void load_policy(const checkpoints::Reader& file);

  /// What one iteration is; only of a session for training.
  const compute::Program& program() const { return *blueprint_.iteration; }
  /// The iteration that runs next.
  int64_t step() const { return step_; }
  /// Starts one iteration.
  void submit();
  /// Number of the run on the device that was this iteration's. Valid for iterations submitted here.
  uint64_t run_of(int64_t iteration) const { return first_run_ + static_cast<uint64_t>(iteration - first_step_) + 1; }

  Snapshot snapshot(const HostState& host) const;
  bool has_part(const std::string& part) const {
    return part == "test" ? blueprint_.test != nullptr : part == "validation" && blueprint_.validation;
  }
  EvaluationResult evaluate(const std::string& part, const std::function<void(const Fill&)>& on_fill = {});
  /// Fills of the iteration that ran last, in order of step and account.
  void last_fills(const std::function<void(const Fill&)>& on_fill);

  /// Name and SHA-256 of every kernel source that the programs use, includes counted in.
  const std::vector<std::pair<std::string, std::string>>& kernel_hashes() const { return kernel_hashes_; }

  Agent& agent() { return *blueprint_.agent; }
  compute::Compute& compute() { return *compute_; }
  /// Only where env.source is a market.
  const market::Market& market() const { return *blueprint_.market; }
  const Plan& plan() const { return blueprint_.plan; }
  double tick_value() const { return blueprint_.train.tick_value; }
  HostState& host_state() { return host_state_; }

 private:
  Purpose purpose_;
  void begin_at(int64_t step);

  const config::Config& config_;
  Blueprint blueprint_;
  std::unique_ptr<compute::Compute> compute_;
  std::unique_ptr<compute::Executable> iteration_;
  HostState host_state_;
  std::vector<std::pair<std::string, std::string>> kernel_hashes_;
  int64_t step_ = 0, first_step_ = 0;
  uint64_t first_run_ = 0;
};

}  // namespace foxhunt::trainer
