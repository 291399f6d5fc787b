#pragma once
#include <vector>

#include "encoder.hpp"

namespace foxhunt::agent {

/// Products within a chunk grow with its length, work for the states between chunks with their number; at a state of 16
/// the two are even at about this many steps.
inline constexpr int64_t kChunk = 16;

/// The Mamba-2 block of make_mamba2 without its norm: from u [rows, H] to u + block(u). Layouts of the tensors are those
/// of kernels_src/common/mamba2.cuh.
class Mixer {
 public:
  Mixer(const EncoderSettings& settings, ParameterGroup& group);

  struct Activations {
    compute::TensorId projected = 0, mixed = 0, y = 0, gated = 0;  ///< [steps + 1, accounts, …]
    compute::TensorId conv = 0, state = 0;                         ///< carried, [accounts, …]
    compute::TensorId conv_start = 0, state_start = 0;             ///< what was carried into the window's first step
  };
  Activations declare(compute::Tensors& tensors, const PassSettings& pass) const;

  /// One step; its activations go to row `t`. valid_before: see Encoder::Pass. `advance` false: what is carried takes
  /// the zeros of new episodes, but not the step.
  void record_step(compute::Recording& recording, const PassSettings& pass, const Activations& a, fh_tensor u,
                   int64_t t, fh_tensor valid_before, bool advance, fh_tensor out) const;
  /// The window from the start state; rows = steps x accounts. What the step after it would begin with goes to conv_end
  /// and state_end, if these are not 0. out 0: only that is wanted.
  void record_sequence(compute::Recording& recording, const PassSettings& pass, const Activations& a, fh_tensor u,
                       fh_tensor valid, fh_tensor out, fh_tensor conv_end, fh_tensor state_end) const;
  /// Gradients of the parameters from grad [rows, H], to which the gradient of u is added: in, that of the sum; out,
  /// that of u.
  void record_backward(compute::Recording& recording, const PassSettings& pass, const Activations& a, fh_tensor u,
                       fh_tensor valid, fh_tensor grad) const;

 private:
  void record_output(compute::Recording& recording, const PassSettings& pass, fh_tensor u, fh_tensor gated,
                     fh_tensor out) const;
  fh_tensor weight(compute::Recording& recording, const PassSettings& pass, size_t i) const;
  std::vector<fh_constant> constants() const;
  std::vector<fh_constant> conv_constants() const;
  std::vector<fh_constant> chunk_constants(int64_t steps) const;

  std::string path_;
  ParameterGroup& group_;
  int64_t hidden_, heads_, head_dim_, state_, conv_;
  int64_t channels_, mixed_, projected_;
  size_t in_proj_, conv_w_, conv_b_, dt_bias_, a_log_, skip_, gain_, out_proj_;
};

}  // namespace foxhunt::agent
