#pragma once
#include <foxhunt/kernel.hpp>

// Declarations of the kernels in kernels_src/q_heads/c51.cu.
namespace foxhunt::c51 {

/// Shared memory of c51_target: probabilities, values and weights of all actions, three rows of atoms. Sized
/// for a `real` of double.
constexpr uint64_t target_shared(const int64_t* constants, uint32_t) {
  const int64_t actions = constants[0], atoms = constants[1];
  return 8ull * static_cast<uint64_t>(actions * atoms + 2 * actions + 3 * atoms);
}
/// Shared memory of c51_loss: one row of atoms and the reductions' scratch.
constexpr uint64_t loss_shared(const int64_t* constants, uint32_t block_dim) {
  return 8ull * (static_cast<uint64_t>(constants[1] + 3) / 4 * 4 + block_dim);
}

FOXHUNT_KERNEL(c51_support, "q_heads/c51.cu", 32,
               FOXHUNT_PARAMS({"support", FH_F32, FH_OUT}, {"v_min", FH_F32, FH_SCALAR},
                              {"delta", FH_F32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "ATOMS"), nullptr);

FOXHUNT_KERNEL(c51_distributions, "q_heads/c51.cu", 128,
               FOXHUNT_PARAMS({"log_probs", FH_F32, FH_INOUT}, {"mean", FH_F32, FH_OUT},
                              {"variance", FH_F32, FH_OUT}, {"v_min", FH_F32, FH_SCALAR},
                              {"delta", FH_F32, FH_SCALAR}, {"rows", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "ATOMS"), nullptr);

FOXHUNT_KERNEL(c51_target, "q_heads/c51.cu", 32,
               FOXHUNT_PARAMS({"next_logits", FH_F32, FH_IN}, {"online_logits", FH_F32, FH_IN},
                              {"reward", FH_F32, FH_IN}, {"discount", FH_F32, FH_IN},
                              {"target", FH_F32, FH_OUT}, {"low", FH_F32, FH_SCALAR},
                              {"delta", FH_F32, FH_SCALAR}, {"select_online", FH_I32, FH_SCALAR},
                              {"boltzmann", FH_I32, FH_SCALAR}, {"temperature", FH_F32, FH_SCALAR},
                              {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "ATOMS"), target_shared);

FOXHUNT_KERNEL(c51_loss, "q_heads/c51.cu", 64,
               FOXHUNT_PARAMS({"logits", FH_F32, FH_IN}, {"target", FH_F32, FH_IN}, {"action", FH_I32, FH_IN},
                              {"loss", FH_F32, FH_OUT}, {"grad_logits", FH_F32, FH_OUT},
                              {"scale", FH_F32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "ATOMS"), loss_shared);

// Those of kernels_src/q_heads/c51_per_action.cu.

/// Shared memory of c51_action_target: probabilities, values and weights of all actions, one row of atoms.
constexpr uint64_t action_target_shared(const int64_t* constants, uint32_t) {
  const int64_t actions = constants[0], atoms = constants[1];
  return 8ull * static_cast<uint64_t>(actions * atoms + 2 * actions + atoms);
}
/// Shared memory of c51_action_support: the reductions' scratch.
constexpr uint64_t action_support_shared(const int64_t*, uint32_t block_dim) { return 8ull * block_dim; }

FOXHUNT_KERNEL(c51_action_distributions, "q_heads/c51_per_action.cu", 128,
               FOXHUNT_PARAMS({"log_probs", FH_F32, FH_INOUT}, {"low", FH_F32, FH_IN}, {"delta", FH_F32, FH_IN},
                              {"mean", FH_F32, FH_OUT}, {"variance", FH_F32, FH_OUT}, {"rows", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "ATOMS"), nullptr);

FOXHUNT_KERNEL(c51_action_target, "q_heads/c51_per_action.cu", 32,
               FOXHUNT_PARAMS({"next_logits", FH_F32, FH_IN}, {"choosing_logits", FH_F32, FH_IN},
                              {"reward", FH_F32, FH_IN}, {"discount", FH_F32, FH_IN}, {"action", FH_I32, FH_IN},
                              {"low", FH_F32, FH_IN}, {"delta", FH_F32, FH_IN}, {"target", FH_F32, FH_OUT},
                              {"moments", FH_F32, FH_OUT}, {"boltzmann", FH_I32, FH_SCALAR},
                              {"temperature", FH_F32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "ATOMS"), action_target_shared);

FOXHUNT_KERNEL(c51_action_support, "q_heads/c51_per_action.cu", 128,
               FOXHUNT_PARAMS({"moments", FH_F32, FH_IN}, {"action", FH_I32, FH_IN}, {"mean", FH_F32, FH_INOUT},
                              {"square", FH_F32, FH_INOUT}, {"low", FH_F32, FH_INOUT}, {"delta", FH_F32, FH_INOUT},
                              {"rate", FH_F32, FH_SCALAR}, {"width", FH_F32, FH_SCALAR}, {"v_min", FH_F32, FH_SCALAR},
                              {"v_max", FH_F32, FH_SCALAR}, {"narrowest", FH_F32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "ATOMS"), action_support_shared);

}  // namespace foxhunt::c51
