#pragma once
#include <foxhunt/kernel.hpp>

// Declarations of the kernels in kernels_src/q_heads/dueling.cu.
namespace foxhunt::dueling {

FOXHUNT_KERNEL(dueling_compose, "q_heads/dueling.cu", 128,
               FOXHUNT_PARAMS({"v", FH_F32, FH_IN}, {"a", FH_F32, FH_IN}, {"composed", FH_F32, FH_OUT},
                              {"rows", FH_I32, FH_SCALAR}, {"width", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

FOXHUNT_KERNEL(dueling_split, "q_heads/dueling.cu", 128,
               FOXHUNT_PARAMS({"composed", FH_F32, FH_IN}, {"v", FH_F32, FH_OUT}, {"a", FH_F32, FH_OUT},
                              {"rows", FH_I32, FH_SCALAR}, {"width", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

FOXHUNT_KERNEL(dueling_add_value, "q_heads/dueling.cu", 256,
               FOXHUNT_PARAMS({"value", FH_F32, FH_IN}, {"x", FH_F32, FH_INOUT}, {"batch", FH_I32, FH_SCALAR},
                              {"columns", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

FOXHUNT_KERNEL(dueling_value_gradient, "q_heads/dueling.cu", 128,
               FOXHUNT_PARAMS({"grad", FH_F32, FH_IN}, {"grad_value", FH_F32, FH_OUT}, {"batch", FH_I32, FH_SCALAR},
                              {"columns", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

FOXHUNT_KERNEL(dueling_parts, "q_heads/dueling.cu", 128,
               FOXHUNT_PARAMS({"q", FH_F32, FH_IN}, {"value", FH_F32, FH_OUT}, {"advantage", FH_F32, FH_OUT},
                              {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

}  // namespace foxhunt::dueling
