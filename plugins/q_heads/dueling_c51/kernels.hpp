#pragma once
#include <foxhunt/kernel.hpp>

// Declarations of the kernels in kernels_src/q_heads/dueling_c51.cu.
namespace foxhunt::dueling_c51 {

/// Shared memory of dueling_c51_broadcast_loss: one number an action, sized for a `real` of double.
constexpr uint64_t broadcast_shared(const int64_t* constants, uint32_t) { return 8ull * static_cast<uint64_t>(constants[0]); }

FOXHUNT_KERNEL(dueling_c51_scalar_target, "q_heads/dueling_c51.cu", 128,
               FOXHUNT_PARAMS({"reward", FH_F32, FH_IN}, {"discount", FH_F32, FH_IN}, {"value", FH_F32, FH_IN},
                              {"value_next", FH_F32, FH_IN}, {"target", FH_F32, FH_OUT}, {"low", FH_F32, FH_SCALAR},
                              {"delta", FH_F32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "ATOMS"), nullptr);

FOXHUNT_KERNEL(dueling_c51_broadcast_loss, "q_heads/dueling_c51.cu", 32,
               FOXHUNT_PARAMS({"logits", FH_F32, FH_IN}, {"target", FH_F32, FH_IN}, {"loss", FH_F32, FH_OUT},
                              {"grad_logits", FH_F32, FH_OUT}, {"scale", FH_F32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "ATOMS"), broadcast_shared);

}  // namespace foxhunt::dueling_c51
