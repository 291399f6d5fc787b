#pragma once
#include <foxhunt/kernel.hpp>

// Declaration of the kernel in kernels_src/position_sizing/variance.cu.
namespace foxhunt::variance_sizer {

FOXHUNT_KERNEL(variance_size, "position_sizing/variance.cu", 256,
               FOXHUNT_PARAMS({"variance_q", FH_F32, FH_IN}, {"action", FH_I32, FH_IN},
                              {"target_position", FH_F32, FH_IN}, {"scale", FH_F32, FH_OUT},
                              {"position", FH_F32, FH_OUT}, {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

}  // namespace foxhunt::variance_sizer
