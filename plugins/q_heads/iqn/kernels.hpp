#pragma once
#include <foxhunt/kernel.hpp>

// Declarations of the kernels in kernels_src/q_heads/iqn.cu.
namespace foxhunt::iqn {

/// Shared memory of iqn_target: value and weight of every action.
constexpr uint64_t target_shared(const int64_t* constants, uint32_t) {
  return 16ull * static_cast<uint64_t>(constants[0]);
}
/// Scratch of the reductions.
constexpr uint64_t loss_shared(const int64_t*, uint32_t block_dim) { return 8ull * block_dim; }

#define FOXHUNT_IQN_CONSTANTS FOXHUNT_CONSTANTS("ACTIONS", "HIDDEN", "COSINES", "COSINE_FROM")

FOXHUNT_KERNEL(iqn_draw, "q_heads/iqn.cu", 128,
               FOXHUNT_PARAMS({"step", FH_U64, FH_IN}, {"tau", FH_F32, FH_OUT}, {"key0", FH_U32, FH_SCALAR},
                              {"key1", FH_U32, FH_SCALAR}, {"salt", FH_U32, FH_SCALAR}, {"count", FH_I32, FH_SCALAR}),
               FOXHUNT_IQN_CONSTANTS, nullptr);

FOXHUNT_KERNEL(iqn_midpoints, "q_heads/iqn.cu", 32,
               FOXHUNT_PARAMS({"tau", FH_F32, FH_OUT}, {"count", FH_I32, FH_SCALAR}), FOXHUNT_IQN_CONSTANTS, nullptr);

FOXHUNT_KERNEL(iqn_cosines, "q_heads/iqn.cu", 64,
               FOXHUNT_PARAMS({"tau", FH_F32, FH_IN}, {"cosines", FH_F32, FH_OUT}, {"rows", FH_I32, FH_SCALAR}),
               FOXHUNT_IQN_CONSTANTS, nullptr);

FOXHUNT_KERNEL(iqn_modulate, "q_heads/iqn.cu", 128,
               FOXHUNT_PARAMS({"h", FH_F32, FH_IN}, {"pre", FH_F32, FH_IN}, {"x", FH_F32, FH_OUT},
                              {"samples", FH_I32, FH_SCALAR}, {"shared_tau", FH_I32, FH_SCALAR},
                              {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_IQN_CONSTANTS, nullptr);

FOXHUNT_KERNEL(iqn_modulate_mean, "q_heads/iqn.cu", 128,
               FOXHUNT_PARAMS({"h", FH_F32, FH_IN}, {"pre", FH_F32, FH_IN}, {"x", FH_F32, FH_OUT},
                              {"samples", FH_I32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_IQN_CONSTANTS, nullptr);

FOXHUNT_KERNEL(iqn_modulate_backward, "q_heads/iqn.cu", 128,
               FOXHUNT_PARAMS({"h", FH_F32, FH_IN}, {"pre", FH_F32, FH_IN}, {"dx", FH_F32, FH_INOUT},
                              {"dh", FH_F32, FH_OUT}, {"samples", FH_I32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_IQN_CONSTANTS, nullptr);

FOXHUNT_KERNEL(iqn_relu, "q_heads/iqn.cu", 256,
               FOXHUNT_PARAMS({"y", FH_F32, FH_INOUT}, {"rows", FH_I32, FH_SCALAR}, {"width", FH_I32, FH_SCALAR}),
               FOXHUNT_IQN_CONSTANTS, nullptr);

FOXHUNT_KERNEL(iqn_relu_backward, "q_heads/iqn.cu", 256,
               FOXHUNT_PARAMS({"y", FH_F32, FH_IN}, {"dy", FH_F32, FH_INOUT}, {"rows", FH_I32, FH_SCALAR},
                              {"width", FH_I32, FH_SCALAR}),
               FOXHUNT_IQN_CONSTANTS, nullptr);

FOXHUNT_KERNEL(iqn_fold, "q_heads/iqn.cu", 256,
               FOXHUNT_PARAMS({"pre", FH_F32, FH_IN}, {"w", FH_F32, FH_IN}, {"b", FH_F32, FH_IN},
                              {"folded", FH_F32, FH_OUT}, {"folded_bias", FH_F32, FH_OUT},
                              {"samples", FH_I32, FH_SCALAR}),
               FOXHUNT_IQN_CONSTANTS, nullptr);

FOXHUNT_KERNEL(iqn_moments, "q_heads/iqn.cu", 128,
               FOXHUNT_PARAMS({"z", FH_F32, FH_IN}, {"mean", FH_F32, FH_OUT}, {"variance", FH_F32, FH_OUT},
                              {"samples", FH_I32, FH_SCALAR}, {"rows", FH_I32, FH_SCALAR}),
               FOXHUNT_IQN_CONSTANTS, nullptr);

FOXHUNT_KERNEL(iqn_target, "q_heads/iqn.cu", 32,
               FOXHUNT_PARAMS({"next", FH_F32, FH_IN}, {"choosing", FH_F32, FH_IN}, {"reward", FH_F32, FH_IN},
                              {"discount", FH_F32, FH_IN}, {"target", FH_F32, FH_OUT},
                              {"targets", FH_I32, FH_SCALAR}, {"draws", FH_I32, FH_SCALAR},
                              {"mixed", FH_I32, FH_SCALAR}, {"temperature", FH_F32, FH_SCALAR},
                              {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_IQN_CONSTANTS, target_shared);

FOXHUNT_KERNEL(iqn_loss, "q_heads/iqn.cu", 32,
               FOXHUNT_PARAMS({"z", FH_F32, FH_IN}, {"tau", FH_F32, FH_IN}, {"target", FH_F32, FH_IN},
                              {"action", FH_I32, FH_IN}, {"loss", FH_F32, FH_OUT}, {"grad_z", FH_F32, FH_OUT},
                              {"samples", FH_I32, FH_SCALAR}, {"targets", FH_I32, FH_SCALAR},
                              {"mixed", FH_I32, FH_SCALAR}, {"kappa", FH_F32, FH_SCALAR},
                              {"scale", FH_F32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_IQN_CONSTANTS, loss_shared);

#undef FOXHUNT_IQN_CONSTANTS

}  // namespace foxhunt::iqn
