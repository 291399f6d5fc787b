#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../compute/compute.hpp"
#include "network.hpp"
#include "parameters.hpp"

namespace foxhunt::agent {

struct EncoderSettings {
  std::string path = "/encoder";  ///< of its parameters and state
  std::string kind = "mlp";
  int64_t features = 0;  ///< F, width of an observation
  int64_t hidden = 128;  ///< H, width of h
  bool norm = true;      ///< RMSNorm on h
  bool target = false;   ///< keeps target weights

  // mlp
  int64_t layers = 1;  ///< hidden layers before the last
  int64_t width = 0;   ///< of the hidden layers; 0: H
  Activation activation = Activation::silu;

  // mamba2 (see mamba2.hpp)
  int64_t vsn_hidden = 32;  ///< width of the network that selects features
  int64_t expand = 2;       ///< channels of the recurrence = expand x hidden
  int64_t head_dim = 64;    ///< channels that share one decay
  int64_t state = 16;       ///< state of a channel
  int64_t conv = 4;         ///< taps of the causal convolution
};

struct PassSettings {
  std::string prefix;    ///< of the names of its tensors
  int64_t steps = 1;     ///< T, the longest window
  int64_t accounts = 0;  ///< B
  /// `state`: what is carried from step to step is in the checkpoint, under <path>/state.
  compute::Lifetime carried = compute::Lifetime::resident;
  bool backward = true;  ///< false: keeps no activations, and every step is step 0
  bool target = false;   ///< reads the target weights
};

/// Observation x [F] to features h [H] that policy, value and heads read.
///
/// One encoder has parameters; each place that runs it (rollout, minibatches, evaluation) has a `Pass` of its own,
/// which holds the activations that a gradient needs, and for recurrent encoders what is carried from step to step.
///
/// Episodes: `valid` u8 is 1 for a step within an episode. A step with 0 ends it for good, and the observation after
/// it is another episode's: what was carried is zeroed. (An account that is done sees its true last observation on one
/// more step, which is not valid: see environment/account.cu.)
class Encoder {
 public:
  class Pass {
   public:
    virtual ~Pass() = default;

    /// x [B, F] of step `t` to h [B, H]; what is carried goes on by one step.
    /// @param valid_before  [B] of the step before; 0: the episodes go on (at step 0 `record_last` has seen to it)
    virtual void record_step(compute::Recording& recording, fh_tensor x, int64_t t, fh_tensor valid_before,
                             fh_tensor h) = 0;
    /// h of the observation after the last step, which only serves the bootstrap: what is carried does not go on, since
    /// step 0 of the next window sees this observation again.
    virtual void record_last(compute::Recording& recording, fh_tensor x, fh_tensor valid_before, fh_tensor h) = 0;
    /// A whole window, x [t, B, F] to h [t, B, H] with t <= T, from the start state; equals the steps to rounding. What
    /// is carried stays as it is.
    /// @param valid  [t, B]; 0: no episode ends in the window
    virtual void record_sequence(compute::Recording& recording, fh_tensor x, fh_tensor valid, fh_tensor h) = 0;
    /// Gradients of all parameters from grad_h [t, B, H], after the steps 0 … t - 1 or a sequence, given the same x and
    /// valid. They end at episodes' borders and at the window's start.
    virtual void record_backward(compute::Recording& recording, fh_tensor x, fh_tensor valid, fh_tensor grad_h) = 0;

    /// What was carried into step 0 of the window, f32 [B, …] each; none if the encoder has no memory. Steps keep it
    /// when step 0 is recorded. A sequence begins with what these hold: from `record_start`, or from replay.
    virtual std::vector<compute::TensorId> start() const { return {}; }
    /// Start state of `from` for the accounts that `order` i32 [B] names, or of the same ones if it is 0.
    void record_start(compute::Recording& recording, const Pass& from, fh_tensor order);
    /// Burn-in (Kapturowski et al. 2019): the start state moves on over x [t, B, F] with t <= T; no gradient flows
    /// back into these steps. @param x, valid as of a sequence; activations are lost, so record what learns afterwards.
    virtual void record_burn_in(compute::Recording&, fh_tensor, fh_tensor) {}
    /// Zeroes what is carried: before an evaluation.
    virtual void reset(compute::Compute&) const {}
    /// f32 [F]: mean weight of each feature over the samples of the last backward pass; 0 if the encoder selects none.
    virtual compute::TensorId selection() const { return 0; }
  };
  virtual ~Encoder() = default;
  /// Call before tensors get their memory.
  virtual std::unique_ptr<Pass> make_pass(compute::Tensors& tensors, const PassSettings& settings) const = 0;
};

/// Adds the encoder's parameters to `group` under `settings.path`.
/// @throws foxhunt::Error for an unknown kind, or for settings that do not go together.
std::unique_ptr<Encoder> make_encoder(const EncoderSettings& settings, ParameterGroup& group);

}  // namespace foxhunt::agent
