#pragma once
#include <foxhunt/kernel.hpp>

#include "shared_bytes.hpp"

// Declarations of the kernels in kernels_src/optimizer/.

namespace foxhunt::kernels {

FOXHUNT_KERNEL(adam_begin, "optimizer/adam.cu", 256,
               FOXHUNT_PARAMS({"learning_rate", FH_F32, FH_IN}, {"squares", FH_F64, FH_IN}, {"other", FH_F64, FH_IN},
                              {"ring", FH_I32, FH_IN}, {"t", FH_U64, FH_INOUT},
                              {"beta_power", FH_F64, FH_INOUT}, {"scalars", FH_F32, FH_OUT},
                              {"beta1", FH_F64, FH_SCALAR}, {"beta2", FH_F64, FH_SCALAR},
                              {"clip", FH_F64, FH_SCALAR}, {"segments", FH_I32, FH_SCALAR}, {"others", FH_I32, FH_SCALAR},
                              {"start", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(adam_step, "optimizer/adam.cu", 256,
               FOXHUNT_PARAMS({"gradient", FH_F32, FH_IN}, {"scalars", FH_F32, FH_IN},
                              {"theta", FH_F32, FH_INOUT}, {"m", FH_F32, FH_INOUT}, {"v", FH_F32, FH_INOUT},
                              {"beta1", FH_F32, FH_SCALAR}, {"beta2", FH_F32, FH_SCALAR},
                              {"epsilon", FH_F32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(soft_update, "optimizer/adam.cu", 256,
               FOXHUNT_PARAMS({"online", FH_F32, FH_IN}, {"scalars", FH_F32, FH_IN}, {"t", FH_U64, FH_IN},
                              {"target", FH_F32, FH_INOUT}, {"tau", FH_F32, FH_SCALAR}, {"every", FH_I32, FH_SCALAR},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(partial_squares, "optimizer/balance.cu", 256,
               FOXHUNT_PARAMS({"values", FH_F32, FH_IN}, {"out", FH_F64, FH_OUT}, {"n", FH_I32, FH_SCALAR},
                              {"parts", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(balance_observe, "optimizer/balance.cu", 32,
               FOXHUNT_PARAMS({"squares", FH_F64, FH_IN}, {"factors", FH_F64, FH_IN}, {"state", FH_F64, FH_INOUT},
                              {"ratio", FH_F64, FH_SCALAR}, {"limit", FH_F64, FH_SCALAR}, {"rate", FH_F64, FH_SCALAR},
                              {"n", FH_I32, FH_SCALAR}, {"factor_count", FH_I32, FH_SCALAR},
                              {"of_policy", FH_I32, FH_SCALAR}, {"weighted", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(balance_scale, "optimizer/balance.cu", 256,
               FOXHUNT_PARAMS({"state", FH_F64, FH_IN}, {"values", FH_F32, FH_INOUT}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(schedule_value, "optimizer/schedule.cu", 32,
               FOXHUNT_PARAMS({"step", FH_U64, FH_IN}, {"value", FH_F32, FH_OUT}, {"from", FH_F64, FH_SCALAR},
                              {"to", FH_F64, FH_SCALAR}, {"span", FH_F64, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(advance_step, "optimizer/schedule.cu", 256, FOXHUNT_PARAMS({"step", FH_U64, FH_INOUT}),
               FOXHUNT_NO_CONSTANTS, nullptr);

}  // namespace foxhunt::kernels
