#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "../compute/compute.hpp"
#include "network.hpp"
#include "parameters.hpp"

namespace foxhunt::agent {

struct EncoderSettings {
  std::string kind = "mlp";
  int64_t features = 0;  ///< F, width of an observation
  int64_t hidden = 128;  ///< H, width of h
  int64_t layers = 1;    ///< hidden layers before the last
  Activation activation = Activation::silu;
  bool norm = true;  ///< RMSNorm on h
};

/// Observation x [F] to features h [H] that policy, value and heads read.
///
/// One encoder has parameters; each place that runs it (rollout, evaluation) has a `Pass` of its own, which holds
/// the activations that a gradient needs, and for recurrent encoders the carried state.
class Encoder {
 public:
  class Pass {
   public:
    virtual ~Pass() = default;
    /// x [accounts, F] of step `t` to h [accounts, H].
    virtual void record_step(compute::Recording& recording, fh_tensor x, int64_t t, fh_tensor h) = 0;
    /// Gradients of all parameters from grad_h [horizon, accounts, H] of the steps 0 … horizon - 1; x
    /// [horizon, accounts, F] as given to them.
    virtual void record_backward(compute::Recording& recording, fh_tensor x, fh_tensor grad_h) = 0;
  };
  virtual ~Encoder() = default;
  /// Activations for steps 0 … steps - 1 of `accounts` accounts. Call before tensors get their memory.
  virtual std::unique_ptr<Pass> make_pass(compute::Tensors& tensors, const std::string& prefix, int64_t steps,
                                          int64_t accounts) const = 0;
};

/// Adds the encoder's parameters to `group` under /encoder.
/// @throws foxhunt::Error for an unknown kind.
std::unique_ptr<Encoder> make_encoder(const EncoderSettings& settings, ParameterGroup& group);

}  // namespace foxhunt::agent
