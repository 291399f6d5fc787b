#pragma once
#include <foxhunt/kernel.hpp>

// Declarations of the kernels in kernels_src/environment/{cartpole,acrobot}.cu.

#define FOXHUNT_EPISODE_PARAMS                                                                                       \
  FOXHUNT_PARAMS({"action", FH_I32, FH_IN}, {"state", FH_F32, FH_INOUT}, {"steps", FH_I32, FH_INOUT},                \
                 {"ended", FH_U8, FH_INOUT}, {"score", FH_F64, FH_INOUT}, {"episodes", FH_I64, FH_INOUT},            \
                 {"step", FH_U64, FH_IN}, {"reward", FH_F32, FH_OUT}, {"done", FH_U8, FH_OUT},                       \
                 {"valid", FH_U8, FH_OUT}, {"equity", FH_F64, FH_OUT}, {"limit", FH_I32, FH_SCALAR},                 \
                 {"key0", FH_U32, FH_SCALAR}, {"key1", FH_U32, FH_SCALAR}, {"salt", FH_U32, FH_SCALAR},              \
                 {"accounts", FH_I32, FH_SCALAR})

namespace foxhunt::kernels {

FOXHUNT_KERNEL(cartpole_step, "environment/cartpole.cu", 128, FOXHUNT_EPISODE_PARAMS, FOXHUNT_NO_CONSTANTS, nullptr);
FOXHUNT_KERNEL(acrobot_step, "environment/acrobot.cu", 128, FOXHUNT_EPISODE_PARAMS, FOXHUNT_NO_CONSTANTS, nullptr);
FOXHUNT_KERNEL(acrobot_observe, "environment/acrobot.cu", 128,
               FOXHUNT_PARAMS({"state", FH_F32, FH_IN}, {"x", FH_F32, FH_OUT}, {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

}  // namespace foxhunt::kernels

#undef FOXHUNT_EPISODE_PARAMS
