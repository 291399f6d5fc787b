#pragma once
#include <foxhunt/kernel.hpp>

// Declarations of the kernels in kernels_src/q_heads/qr_dqn.cu.
namespace foxhunt::qr_dqn {

/// Shared memory of qr_target: value and weight of every action.
constexpr uint64_t target_shared(const int64_t* constants, uint32_t) {
  return 16ull * static_cast<uint64_t>(constants[0]);
}
/// Scratch of the reductions.
constexpr uint64_t loss_shared(const int64_t*, uint32_t block_dim) { return 8ull * block_dim; }

FOXHUNT_KERNEL(qr_moments, "q_heads/qr_dqn.cu", 128,
               FOXHUNT_PARAMS({"z", FH_F32, FH_IN}, {"mean", FH_F32, FH_OUT}, {"variance", FH_F32, FH_OUT},
                              {"rows", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "QUANTILES"), nullptr);

FOXHUNT_KERNEL(qr_target, "q_heads/qr_dqn.cu", 32,
               FOXHUNT_PARAMS({"next", FH_F32, FH_IN}, {"choosing", FH_F32, FH_IN}, {"reward", FH_F32, FH_IN},
                              {"discount", FH_F32, FH_IN}, {"target", FH_F32, FH_OUT}, {"mixed", FH_I32, FH_SCALAR},
                              {"temperature", FH_F32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "QUANTILES"), target_shared);

FOXHUNT_KERNEL(qr_loss, "q_heads/qr_dqn.cu", 32,
               FOXHUNT_PARAMS({"z", FH_F32, FH_IN}, {"target", FH_F32, FH_IN}, {"action", FH_I32, FH_IN},
                              {"loss", FH_F32, FH_OUT}, {"grad_z", FH_F32, FH_OUT}, {"mixed", FH_I32, FH_SCALAR},
                              {"kappa", FH_F32, FH_SCALAR}, {"scale", FH_F32, FH_SCALAR},
                              {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "QUANTILES"), loss_shared);

}  // namespace foxhunt::qr_dqn
