#pragma once
#include <foxhunt/kernel.hpp>

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

FOXHUNT_KERNEL(schedule_value, "optimizer/schedule.cu", 32,
               FOXHUNT_PARAMS({"step", FH_U64, FH_IN}, {"value", FH_F32, FH_OUT}, {"from", FH_F64, FH_SCALAR},
                              {"to", FH_F64, FH_SCALAR}, {"span", FH_F64, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(advance_step, "optimizer/schedule.cu", 256, FOXHUNT_PARAMS({"step", FH_U64, FH_INOUT}),
               FOXHUNT_NO_CONSTANTS, nullptr);

}  // namespace foxhunt::kernels
