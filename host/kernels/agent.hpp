#pragma once
#include <foxhunt/kernel.hpp>

#include "shared_bytes.hpp"

// Declarations of the kernels in kernels_src/agent/.

namespace foxhunt::kernels {

FOXHUNT_KERNEL(select_action, "agent/select_action.cu", 256,
               FOXHUNT_PARAMS({"logits", FH_F32, FH_IN}, {"mask", FH_U8, FH_IN}, {"step", FH_U64, FH_IN},
                              {"action", FH_I32, FH_OUT}, {"log_prob", FH_F32, FH_OUT}, {"greedy", FH_I32, FH_SCALAR},
                              {"key0", FH_U32, FH_SCALAR}, {"key1", FH_U32, FH_SCALAR},
                              {"salt", FH_U32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "MASKED"), nullptr);

FOXHUNT_KERNEL(select_from_q, "agent/select_action.cu", 256,
               FOXHUNT_PARAMS({"q", FH_F32, FH_IN}, {"mask", FH_U8, FH_IN}, {"step", FH_U64, FH_IN},
                              {"setting", FH_F32, FH_IN}, {"action", FH_I32, FH_OUT}, {"log_prob", FH_F32, FH_OUT},
                              {"mode", FH_I32, FH_SCALAR}, {"key0", FH_U32, FH_SCALAR}, {"key1", FH_U32, FH_SCALAR},
                              {"salt", FH_U32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "MASKED"), nullptr);

FOXHUNT_KERNEL(thompson_categorical, "agent/thompson.cu", 256,
               FOXHUNT_PARAMS({"log_probs", FH_F32, FH_IN}, {"support", FH_F32, FH_IN}, {"step", FH_U64, FH_IN},
                              {"sum", FH_F32, FH_INOUT}, {"weight", FH_F32, FH_SCALAR}, {"first", FH_I32, FH_SCALAR},
                              {"key0", FH_U32, FH_SCALAR}, {"key1", FH_U32, FH_SCALAR}, {"salt", FH_U32, FH_SCALAR},
                              {"atoms", FH_I32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(thompson_quantiles, "agent/thompson.cu", 256,
               FOXHUNT_PARAMS({"quantiles", FH_F32, FH_IN}, {"step", FH_U64, FH_IN}, {"sum", FH_F32, FH_INOUT},
                              {"weight", FH_F32, FH_SCALAR}, {"first", FH_I32, FH_SCALAR}, {"key0", FH_U32, FH_SCALAR},
                              {"key1", FH_U32, FH_SCALAR}, {"salt", FH_U32, FH_SCALAR}, {"count", FH_I32, FH_SCALAR},
                              {"actions", FH_I32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(shuffled_order, "agent/minibatch.cu", 256,
               FOXHUNT_PARAMS({"step", FH_U64, FH_IN}, {"order", FH_I32, FH_OUT}, {"key0", FH_U32, FH_SCALAR},
                              {"key1", FH_U32, FH_SCALAR}, {"salt", FH_U32, FH_SCALAR}, {"half_bits", FH_I32, FH_SCALAR},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(gather_rows, "agent/minibatch.cu", 256,
               FOXHUNT_PARAMS({"order", FH_I32, FH_IN}, {"from", FH_F32, FH_IN, FH_INDEXED}, {"to", FH_F32, FH_OUT},
                              {"horizon", FH_I32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR},
                              {"chosen", FH_I32, FH_SCALAR}, {"columns", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(gather_flags, "agent/minibatch.cu", 256,
               FOXHUNT_PARAMS({"order", FH_I32, FH_IN}, {"from", FH_U8, FH_IN, FH_INDEXED}, {"to", FH_U8, FH_OUT},
                              {"horizon", FH_I32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR},
                              {"chosen", FH_I32, FH_SCALAR}, {"columns", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(gather_samples, "agent/minibatch.cu", 256,
               FOXHUNT_PARAMS({"order", FH_I32, FH_IN}, {"action", FH_I32, FH_IN, FH_INDEXED},
                              {"log_prob", FH_F32, FH_IN, FH_INDEXED}, {"advantage", FH_F32, FH_IN, FH_INDEXED},
                              {"value", FH_F32, FH_IN, FH_INDEXED}, {"value_target", FH_F32, FH_IN, FH_INDEXED},
                              {"valid", FH_U8, FH_IN, FH_INDEXED}, {"to_action", FH_I32, FH_OUT},
                              {"to_log_prob", FH_F32, FH_OUT}, {"to_advantage", FH_F32, FH_OUT},
                              {"to_value", FH_F32, FH_OUT}, {"to_value_target", FH_F32, FH_OUT},
                              {"to_valid", FH_U8, FH_OUT}, {"horizon", FH_I32, FH_SCALAR},
                              {"accounts", FH_I32, FH_SCALAR}, {"chosen", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(gae, "agent/advantage.cu", 256,
               FOXHUNT_PARAMS({"reward", FH_F32, FH_IN}, {"value", FH_F32, FH_IN}, {"done", FH_U8, FH_IN},
                              {"valid", FH_U8, FH_IN}, {"advantage", FH_F32, FH_OUT},
                              {"value_target", FH_F32, FH_OUT}, {"gamma", FH_F32, FH_SCALAR},
                              {"lambda", FH_F32, FH_SCALAR}, {"horizon", FH_I32, FH_SCALAR},
                              {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(n_step_returns, "agent/advantage.cu", 256,
               FOXHUNT_PARAMS({"reward", FH_F32, FH_IN}, {"bootstrap", FH_F32, FH_IN}, {"value", FH_F32, FH_IN},
                              {"done", FH_U8, FH_IN}, {"valid", FH_U8, FH_IN}, {"advantage", FH_F32, FH_OUT},
                              {"value_target", FH_F32, FH_OUT}, {"gamma", FH_F32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR},
                              {"horizon", FH_I32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(end_where_truncated, "agent/advantage.cu", 256,
               FOXHUNT_PARAMS({"done", FH_U8, FH_INOUT}, {"n", FH_I32, FH_SCALAR}), FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(masked_moments, "agent/advantage.cu", 1024,
               FOXHUNT_PARAMS({"x", FH_F32, FH_IN}, {"valid", FH_U8, FH_IN}, {"moments", FH_F64, FH_OUT},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(policy_gradient, "agent/policy_gradient.cu", 256,
               FOXHUNT_PARAMS({"logits", FH_F32, FH_IN}, {"action", FH_I32, FH_IN},
                              {"old_log_prob", FH_F32, FH_IN}, {"advantage", FH_F32, FH_IN},
                              {"value", FH_F32, FH_IN}, {"old_value", FH_F32, FH_IN}, {"value_target", FH_F32, FH_IN},
                              {"valid", FH_U8, FH_IN}, {"mask", FH_U8, FH_IN}, {"ensemble_q", FH_F32, FH_IN},
                              {"moments", FH_F64, FH_IN}, {"entropy_weight", FH_F32, FH_IN},
                              {"grad_logits", FH_F32, FH_OUT}, {"grad_value", FH_F32, FH_OUT},
                              {"series", FH_F32, FH_INOUT}, {"clip", FH_F32, FH_SCALAR},
                              {"value_clip", FH_F32, FH_SCALAR}, {"value_weight", FH_F32, FH_SCALAR},
                              {"distill", FH_F32, FH_SCALAR}, {"temperature", FH_F32, FH_SCALAR},
                              {"samples", FH_I32, FH_SCALAR}, {"stride", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS", "MASKED"), nullptr);

FOXHUNT_KERNEL(ensemble_add, "agent/ensemble.cu", 256,
               FOXHUNT_PARAMS({"q", FH_F32, FH_IN}, {"sum", FH_F32, FH_INOUT}, {"weight", FH_F32, FH_SCALAR},
                              {"first", FH_I32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(q_minus_v, "agent/ensemble.cu", 256,
               FOXHUNT_PARAMS({"q", FH_F32, FH_IN}, {"action", FH_I32, FH_IN}, {"value", FH_F32, FH_IN},
                              {"valid", FH_U8, FH_IN}, {"advantage", FH_F32, FH_OUT}, {"actions", FH_I32, FH_SCALAR},
                              {"samples", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(state_value, "agent/state_value.cu", 128,
               FOXHUNT_PARAMS({"q", FH_F32, FH_IN}, {"logits", FH_F32, FH_IN}, {"value", FH_F32, FH_OUT},
                              {"mode", FH_I32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

FOXHUNT_KERNEL(state_value_errors, "agent/state_value.cu", 128,
               FOXHUNT_PARAMS({"q", FH_F32, FH_IN}, {"logits", FH_F32, FH_IN}, {"returns", FH_F32, FH_IN},
                              {"rows", FH_F32, FH_OUT}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

FOXHUNT_KERNEL(blend_value, "agent/baseline.cu", 256,
               FOXHUNT_PARAMS({"scalar", FH_F32, FH_IN}, {"head", FH_F32, FH_IN}, {"step", FH_U64, FH_IN},
                              {"value", FH_F32, FH_OUT}, {"from", FH_F64, FH_SCALAR}, {"to", FH_F64, FH_SCALAR},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(cut_value, "agent/baseline.cu", 256,
               FOXHUNT_PARAMS({"from", FH_F32, FH_IN}, {"to", FH_F32, FH_OUT}, {"low", FH_F32, FH_SCALAR},
                              {"high", FH_F32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(add_gradient, "agent/baseline.cu", 256,
               FOXHUNT_PARAMS({"from", FH_F32, FH_IN}, {"ring", FH_I32, FH_IN}, {"to", FH_F32, FH_INOUT},
                              {"start", FH_I32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(stop_beyond, "agent/early_stop.cu", 1024,
               FOXHUNT_PARAMS({"kl", FH_F32, FH_IN}, {"valid", FH_U8, FH_IN}, {"go", FH_I32, FH_INOUT},
                              {"limit", FH_F64, FH_SCALAR}, {"first", FH_I32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);

}  // namespace foxhunt::kernels
