#pragma once
#include <foxhunt/kernel.hpp>

#include "shared_bytes.hpp"

// Declarations of the kernels of the VSN + Mamba-2 encoder in kernels_src/network/. Layouts in common/mamba2.cuh.

namespace foxhunt::kernels {

FOXHUNT_KERNEL(vsn_select, "network/vsn.cu", 64,
               FOXHUNT_PARAMS({"logits", FH_F32, FH_IN}, {"x", FH_F32, FH_IN}, {"weights", FH_F32, FH_OUT},
                              {"weighted", FH_F32, FH_OUT}),
               FOXHUNT_CONSTANTS("FEATURES"), reduction_bytes);

FOXHUNT_KERNEL(vsn_select_backward, "network/vsn.cu", 64,
               FOXHUNT_PARAMS({"weights", FH_F32, FH_IN}, {"x", FH_F32, FH_IN}, {"grad_weights", FH_F32, FH_IN},
                              {"grad_weighted", FH_F32, FH_IN}, {"grad_logits", FH_F32, FH_OUT}),
               FOXHUNT_CONSTANTS("FEATURES"), reduction_bytes);

#define FOXHUNT_BLOCK_CONSTANTS FOXHUNT_CONSTANTS("HEADS", "HEAD_DIM", "STATE")
#define FOXHUNT_CONV_CONSTANTS FOXHUNT_CONSTANTS("HEADS", "HEAD_DIM", "STATE", "CONV")
#define FOXHUNT_SSD_CONSTANTS FOXHUNT_CONSTANTS("HEADS", "HEAD_DIM", "STATE", "CHUNK")

/// B | C; three rows of channels; two values a head; scratch of the reductions.
constexpr uint64_t mamba_step_bytes(const int64_t* c, uint32_t block_dim) {
  return 8ull * static_cast<uint64_t>(2 * c[2] + 3 * c[0] * c[1] + 2 * c[0]) + 8ull * block_dim;
}
/// SSD_CHUNK_REALS of common/ssd.cuh.
constexpr int64_t ssd_chunk_reals(const int64_t* c) {
  const int64_t line = c[1] + 1, state = c[2], chunk = c[3];
  return chunk * line + 2 * chunk * state + 6 * chunk + state * line;
}
constexpr uint64_t ssd_forward_bytes(const int64_t* c, uint32_t) {
  return 8ull * static_cast<uint64_t>(ssd_chunk_reals(c) + c[3] * c[3] + c[1]);
}
constexpr uint64_t ssd_backward_bytes(const int64_t* c, uint32_t) {
  const int64_t line = c[1] + 1, state = c[2], chunk = c[3];
  return 8ull * static_cast<uint64_t>(ssd_chunk_reals(c) + (chunk + state) * line + c[1] + 3 * chunk * chunk +
                                      2 * chunk * state + 4 * chunk + 4);
}

FOXHUNT_KERNEL(mamba_step, "network/mamba_step.cu", 256,
               FOXHUNT_PARAMS({"projected", FH_F32, FH_IN}, {"conv_w", FH_F32, FH_IN}, {"conv_b", FH_F32, FH_IN},
                              {"a_log", FH_F32, FH_IN}, {"skip", FH_F32, FH_IN}, {"dt_bias", FH_F32, FH_IN},
                              {"gain", FH_F32, FH_IN}, {"valid_before", FH_U8, FH_IN},
                              {"conv_state", FH_F32, FH_INOUT}, {"state", FH_F32, FH_INOUT}, {"mixed", FH_F32, FH_OUT},
                              {"y", FH_F32, FH_OUT}, {"gated", FH_F32, FH_OUT}, {"masked", FH_I32, FH_SCALAR},
                              {"advance", FH_I32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_CONV_CONSTANTS, mamba_step_bytes);

FOXHUNT_KERNEL(conv_forward, "network/causal_conv.cu", 128,
               FOXHUNT_PARAMS({"projected", FH_F32, FH_IN}, {"w", FH_F32, FH_IN}, {"b", FH_F32, FH_IN},
                              {"start", FH_F32, FH_IN}, {"valid", FH_U8, FH_IN}, {"mixed", FH_F32, FH_OUT},
                              {"masked", FH_I32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR},
                              {"rows", FH_I32, FH_SCALAR}),
               FOXHUNT_CONV_CONSTANTS, nullptr);

FOXHUNT_KERNEL(conv_end, "network/causal_conv.cu", 128,
               FOXHUNT_PARAMS({"projected", FH_F32, FH_IN}, {"start", FH_F32, FH_IN}, {"valid", FH_U8, FH_IN},
                              {"end", FH_F32, FH_OUT}, {"masked", FH_I32, FH_SCALAR}, {"steps", FH_I32, FH_SCALAR},
                              {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_CONV_CONSTANTS, nullptr);

FOXHUNT_KERNEL(conv_grad_mixed, "network/causal_conv.cu", 128,
               FOXHUNT_PARAMS({"mixed", FH_F32, FH_IN}, {"grad_x", FH_F32, FH_IN}, {"grad_bc", FH_F32, FH_IN},
                              {"grad_mixed", FH_F32, FH_OUT}, {"rows", FH_I32, FH_SCALAR}),
               FOXHUNT_CONV_CONSTANTS, nullptr);

FOXHUNT_KERNEL(conv_backward, "network/causal_conv.cu", 128,
               FOXHUNT_PARAMS({"grad_mixed", FH_F32, FH_IN}, {"w", FH_F32, FH_IN}, {"valid", FH_U8, FH_IN},
                              {"grad_projected", FH_F32, FH_INOUT}, {"masked", FH_I32, FH_SCALAR},
                              {"accounts", FH_I32, FH_SCALAR}, {"rows", FH_I32, FH_SCALAR}),
               FOXHUNT_CONV_CONSTANTS, nullptr);

FOXHUNT_KERNEL(conv_weights_partial, "network/causal_conv.cu", 128,
               FOXHUNT_PARAMS({"projected", FH_F32, FH_IN}, {"start", FH_F32, FH_IN}, {"valid", FH_U8, FH_IN},
                              {"grad_mixed", FH_F32, FH_IN}, {"partial", FH_F32, FH_OUT},
                              {"masked", FH_I32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR},
                              {"rows", FH_I32, FH_SCALAR}, {"rows_per_block", FH_I32, FH_SCALAR}),
               FOXHUNT_CONV_CONSTANTS, nullptr);

FOXHUNT_KERNEL(gated_norm_forward, "network/gated_norm.cu", 128,
               FOXHUNT_PARAMS({"projected", FH_F32, FH_IN}, {"y", FH_F32, FH_IN}, {"gain", FH_F32, FH_IN},
                              {"gated", FH_F32, FH_OUT}),
               FOXHUNT_BLOCK_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(gated_norm_backward, "network/gated_norm.cu", 128,
               FOXHUNT_PARAMS({"projected", FH_F32, FH_IN}, {"y", FH_F32, FH_IN}, {"gain", FH_F32, FH_IN},
                              {"grad_gated", FH_F32, FH_IN}, {"grad_projected", FH_F32, FH_INOUT},
                              {"grad_y", FH_F32, FH_OUT}, {"gain_terms", FH_F32, FH_OUT}),
               FOXHUNT_BLOCK_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(ssd_forward, "network/ssd_forward.cu", 64,
               FOXHUNT_PARAMS({"projected", FH_F32, FH_IN}, {"mixed", FH_F32, FH_IN}, {"a_log", FH_F32, FH_IN},
                              {"skip", FH_F32, FH_IN}, {"dt_bias", FH_F32, FH_IN}, {"start", FH_F32, FH_IN},
                              {"valid", FH_U8, FH_IN}, {"y", FH_F32, FH_OUT}, {"end", FH_F32, FH_OUT},
                              {"masked", FH_I32, FH_SCALAR}, {"steps", FH_I32, FH_SCALAR},
                              {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_SSD_CONSTANTS, ssd_forward_bytes);

FOXHUNT_KERNEL(ssd_backward, "network/ssd_backward.cu", 64,
               FOXHUNT_PARAMS({"projected", FH_F32, FH_IN}, {"mixed", FH_F32, FH_IN}, {"a_log", FH_F32, FH_IN},
                              {"skip", FH_F32, FH_IN}, {"dt_bias", FH_F32, FH_IN}, {"start", FH_F32, FH_IN},
                              {"valid", FH_U8, FH_IN}, {"grad_y", FH_F32, FH_IN}, {"grad_projected", FH_F32, FH_INOUT},
                              {"grad_x", FH_F32, FH_OUT}, {"grad_bc", FH_F32, FH_OUT}, {"grad_a_log", FH_F32, FH_OUT},
                              {"grad_skip", FH_F32, FH_OUT}, {"grad_dt_bias", FH_F32, FH_OUT},
                              {"chunk_states", FH_F32, FH_INOUT}, {"masked", FH_I32, FH_SCALAR},
                              {"steps", FH_I32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_SSD_CONSTANTS, ssd_backward_bytes);

}  // namespace foxhunt::kernels
