#pragma once
#include <foxhunt/kernel.hpp>

// Declarations of the kernels in kernels_src/q_heads/dueling_q.cu.
namespace foxhunt::dueling_q {

FOXHUNT_KERNEL(dueling_q_target, "q_heads/dueling_q.cu", 128,
               FOXHUNT_PARAMS({"next", FH_F32, FH_IN}, {"choosing", FH_F32, FH_IN}, {"reward", FH_F32, FH_IN},
                              {"discount", FH_F32, FH_IN}, {"target", FH_F32, FH_OUT}, {"mixed", FH_I32, FH_SCALAR},
                              {"temperature", FH_F32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

FOXHUNT_KERNEL(dueling_q_loss, "q_heads/dueling_q.cu", 128,
               FOXHUNT_PARAMS({"q", FH_F32, FH_IN}, {"target", FH_F32, FH_IN}, {"action", FH_I32, FH_IN},
                              {"loss", FH_F32, FH_OUT}, {"grad_q", FH_F32, FH_OUT}, {"kappa", FH_F32, FH_SCALAR},
                              {"scale", FH_F32, FH_SCALAR}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

}  // namespace foxhunt::dueling_q
