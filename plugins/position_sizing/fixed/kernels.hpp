#pragma once
#include <foxhunt/kernel.hpp>

// Declaration of the kernel in kernels_src/position_sizing/fixed.cu.
namespace foxhunt::fixed_sizer {

FOXHUNT_KERNEL(fixed_size, "position_sizing/fixed.cu", 256,
               FOXHUNT_PARAMS({"target_position", FH_F32, FH_IN}, {"scale", FH_F32, FH_OUT},
                              {"position", FH_F32, FH_OUT}, {"share", FH_F32, FH_SCALAR},
                              {"batch", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

}  // namespace foxhunt::fixed_sizer
