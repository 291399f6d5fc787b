#pragma once
#include <foxhunt/kernel.hpp>

#include "shared_bytes.hpp"

// Declarations of the kernels in kernels_src/network/.

namespace foxhunt::kernels {

FOXHUNT_KERNEL(activation_forward, "network/activation.cu", 256,
               FOXHUNT_PARAMS({"z", FH_F32, FH_IN}, {"y", FH_F32, FH_OUT}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIVATION"), nullptr);

FOXHUNT_KERNEL(activation_backward, "network/activation.cu", 256,
               FOXHUNT_PARAMS({"z", FH_F32, FH_IN}, {"dy", FH_F32, FH_INOUT}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIVATION"), nullptr);

FOXHUNT_KERNEL(column_sum_partial, "network/column_sum.cu", 256,
               FOXHUNT_PARAMS({"x", FH_F32, FH_IN}, {"partial", FH_F32, FH_OUT}, {"rows", FH_I32, FH_SCALAR},
                              {"rows_per_block", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("COLUMNS"), nullptr);

FOXHUNT_KERNEL(column_sum_finish, "network/column_sum.cu", 256,
               FOXHUNT_PARAMS({"partial", FH_F32, FH_IN}, {"sum", FH_F32, FH_OUT},
                              {"scale", FH_F32, FH_SCALAR}, {"blocks", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("COLUMNS"), nullptr);

FOXHUNT_KERNEL(rms_norm_forward, "network/rms_norm.cu", 128,
               FOXHUNT_PARAMS({"x", FH_F32, FH_IN}, {"gain", FH_F32, FH_IN}, {"y", FH_F32, FH_OUT}),
               FOXHUNT_CONSTANTS("WIDTH"), reduction_bytes);

FOXHUNT_KERNEL(rms_norm_backward, "network/rms_norm.cu", 128,
               FOXHUNT_PARAMS({"x", FH_F32, FH_IN}, {"gain", FH_F32, FH_IN}, {"dy", FH_F32, FH_IN},
                              {"dx", FH_F32, FH_OUT}, {"gain_terms", FH_F32, FH_OUT}),
               FOXHUNT_CONSTANTS("WIDTH"), reduction_bytes);

}  // namespace foxhunt::kernels
