#pragma once
#include "encoder.hpp"

namespace foxhunt::agent {

/// Variable selection and one Mamba-2 block (Dao & Gu 2024, section 7; one group of B and C):
///   u = VSN(x);  z | x | B | C | dt = u in_proj;  x | B | C = silu(causal convolution of x | B | C);
///   dt = softplus(dt + dt_bias);  S <- exp(-dt exp(A_log)) S + dt x B;  y = S C + D x;
///   h = RMSNorm(u + (RMSNorm(y silu(z)) gate_gain) out_proj) norm_gain
/// Carried from step to step: the last conv - 1 inputs of the convolution, and S [state, expand x hidden].
/// Initial values are those of the authors' code, named beside each parameter in mamba2.cpp.
/// @throws foxhunt::Error if expand x hidden is no multiple of head_dim.
std::unique_ptr<Encoder> make_mamba2(const EncoderSettings& settings, ParameterGroup& group);

}  // namespace foxhunt::agent
