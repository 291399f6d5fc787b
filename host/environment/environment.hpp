#pragma once
#include <string>
#include <vector>

#include "../compute/compute.hpp"

namespace foxhunt::environment {

/// What a step writes for each account, [accounts] each: reward f32, done u8 (0 runs, 1 terminated, 2 truncated),
/// valid u8 (0 on the steps that close an ended episode out), and, where the actions are orders, the fill: row i32,
/// signed lots f64, signed value [ticks x lots] f64. Equity f64 is what the episode has brought since its start: USD
/// marked at the mid, or the sum of rewards; on a step with `done` it is the episode's return.
struct StepOutputs {
  fh_tensor reward, done, valid, fill_row, fill_lots, fill_value, equity;
};

/// What agents learn in: many accounts side by side on a device, each in its own episode.
///
/// How an episode ends: the step that ends it says so in `done`, and the observation behind it is the true last one,
/// so the value after a truncation needs no second pass through a network. The account's next step ignores the
/// action, is not valid, and begins the next episode; the observation behind that step is the new episode's first.
/// Nothing that an account does depends on the number of accounts.
class Environment {
 public:
  virtual ~Environment() = default;

  virtual int64_t accounts() const = 0;
  virtual int64_t features() const = 0;  ///< of an observation
  virtual std::vector<std::string> feature_names() const = 0;
  virtual int64_t actions() const = 0;   ///< an action is an i32 in [0, actions())
  virtual std::vector<std::string> action_names() const = 0;
  /// Actions are orders: `record_target` says for what, they are sized, and steps write fills. Else the handles of
  /// targets, sizes and fills are not looked at, and may be 0.
  virtual bool trades() const { return false; }

  /// Tensors of the accounts' state: "/env" with Lifetime::state for a training run, a name of its own with
  /// Lifetime::resident for an evaluation.
  virtual void declare(compute::Tensors& tensors, const std::string& prefix, compute::Lifetime lifetime) = 0;
  /// Data that the accounts only read.
  virtual void upload(compute::Compute&) const {}
  /// First episodes of all accounts, from the random stream `env/first_episode` of this seed.
  virtual void initialise(compute::Compute& compute, uint64_t seed) const = 0;

  /// x f32 [accounts, features()] of the present states.
  virtual void record_observe(compute::Recording& recording, fh_tensor x) const = 0;
  /// target f32 [accounts]: the position in lots that each action asks for.
  virtual void record_target(compute::Recording&, fh_tensor /*action*/, fh_tensor /*target*/) const {}
  /// mask u8 [accounts, actions()]: 0 for actions that mean nothing in the present state.
  virtual void record_mask(compute::Recording& recording, fh_tensor mask) const { recording.recorder().fill(mask, 1); }
  /// One step. `sized` f32 [accounts]: the target after sizing. `step` u64 [1] and `salt` count the steps: new
  /// episodes draw their beginnings by (account, salt, step).
  virtual void record_step(compute::Recording& recording, fh_tensor action, fh_tensor sized, compute::TensorId step,
                           const StepOutputs& outputs, uint32_t salt) const = 0;
  /// out f64 [totals()]: sums over all accounts since the run's start, as the environment documents them.
  virtual int64_t totals() const = 0;
  virtual void record_totals(compute::Recording& recording, fh_tensor out) const = 0;
};

}  // namespace foxhunt::environment
