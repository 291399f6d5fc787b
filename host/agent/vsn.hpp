#pragma once
#include "encoder.hpp"

namespace foxhunt::agent {

/// Variable selection (Lim et al. 2021, section 4.2, with linear embeddings): from x [rows, F]
///   s = softmax(W2 elu(W1 x + b1) + b2),  y = sum_f s_f (x_f u_f + c_f)
/// with y [rows, H]. Parameters vsn_w1 [F, K], vsn_b1 [K], vsn_w2 [K, F], vsn_b2 [F], vsn_u and vsn_c [F, H].
class Vsn {
 public:
  Vsn(const EncoderSettings& settings, ParameterGroup& group);

  /// What the gradient needs, [steps + 1, accounts, …] each.
  struct Activations {
    compute::TensorId z = 0, hidden = 0;          ///< [K] before and after the elu
    compute::TensorId weights = 0, weighted = 0;  ///< [F]: s and s x
    compute::TensorId selection = 0;              ///< [F]: batch mean of s
  };
  Activations declare(compute::Tensors& tensors, const PassSettings& pass) const;

  /// x [rows, F] to y [rows, H]; activations go to step `t` and those behind it.
  void record_forward(compute::Recording& recording, const PassSettings& pass, const Activations& a, fh_tensor x,
                      int64_t t, fh_tensor y) const;
  /// Gradients of the parameters from grad_y [rows, H], and the mean selection.
  void record_backward(compute::Recording& recording, const PassSettings& pass, const Activations& a, fh_tensor x,
                       fh_tensor grad_y) const;

 private:
  int64_t features_, inner_, hidden_;
  ParameterGroup& group_;
  size_t w1_, b1_, w2_, b2_, u_, c_;
};

}  // namespace foxhunt::agent
