#pragma once
#include <foxhunt/kernel.hpp>

// Declarations of the kernels in kernels_src/environment/.

namespace foxhunt::kernels {

FOXHUNT_KERNEL(observe, "environment/observe.cu", 256,
               FOXHUNT_PARAMS({"book_features", FH_F32, FH_IN, FH_INDEXED}, {"mark2", FH_I32, FH_IN, FH_INDEXED},
                              {"session_left", FH_F32, FH_IN, FH_INDEXED}, {"row", FH_I32, FH_IN},
                              {"position", FH_F64, FH_IN}, {"entry_price", FH_F64, FH_IN},
                              {"cash", FH_F64, FH_IN}, {"age", FH_I32, FH_IN}, {"x", FH_F32, FH_OUT},
                              {"full_lots", FH_F64, FH_SCALAR}, {"tick_value", FH_F64, FH_SCALAR},
                              {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("BOOK_FEATURES", "FEATURES"), nullptr);

FOXHUNT_KERNEL(action_target, "environment/account.cu", 256,
               FOXHUNT_PARAMS({"action", FH_I32, FH_IN}, {"position", FH_F64, FH_IN},
                              {"target", FH_F32, FH_OUT}, {"small", FH_F64, FH_SCALAR},
                              {"half", FH_F64, FH_SCALAR}, {"full", FH_F64, FH_SCALAR},
                              {"lot", FH_F64, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("LEVELS"), nullptr);

FOXHUNT_KERNEL(action_mask, "environment/account.cu", 256,
               FOXHUNT_PARAMS({"position", FH_F64, FH_IN}, {"mask", FH_U8, FH_OUT}, {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("LEVELS"), nullptr);

FOXHUNT_KERNEL(
    account_step, "environment/account.cu", 256,
    FOXHUNT_PARAMS(
        {"bid_price", FH_I32, FH_IN, FH_INDEXED}, {"ask_price", FH_I32, FH_IN, FH_INDEXED}, {"bid_size", FH_I32, FH_IN, FH_INDEXED},
        {"ask_size", FH_I32, FH_IN, FH_INDEXED}, {"mark2", FH_I32, FH_IN, FH_INDEXED}, {"next_row", FH_I32, FH_IN, FH_INDEXED},
        {"tradable", FH_U8, FH_IN, FH_INDEXED}, {"row_end", FH_U8, FH_IN, FH_INDEXED}, {"starts", FH_I32, FH_IN, FH_INDEXED},
        {"action", FH_I32, FH_IN}, {"sized", FH_F32, FH_IN}, {"row", FH_I32, FH_INOUT},
        {"position", FH_F64, FH_INOUT}, {"entry_price", FH_F64, FH_INOUT}, {"cash", FH_F64, FH_INOUT},
        {"age", FH_I32, FH_INOUT}, {"steps_left", FH_I32, FH_INOUT}, {"ended", FH_U8, FH_INOUT},
        {"pnl", FH_F64, FH_INOUT}, {"fees", FH_F64, FH_INOUT}, {"trades", FH_I64, FH_INOUT},
        {"wins", FH_I64, FH_INOUT}, {"episodes", FH_I64, FH_INOUT}, {"step", FH_U64, FH_IN}, {"reward", FH_F32, FH_OUT},
        {"done", FH_U8, FH_OUT}, {"valid", FH_U8, FH_OUT}, {"fill_row", FH_I32, FH_OUT},
        {"fill_lots", FH_F64, FH_OUT}, {"fill_value", FH_F64, FH_OUT}, {"equity", FH_F64, FH_OUT},
        {"tick_value", FH_F64, FH_SCALAR}, {"fee", FH_F64, FH_SCALAR}, {"reward_scale", FH_F64, FH_SCALAR},
        {"lot", FH_F64, FH_SCALAR}, {"ruin", FH_F64, FH_SCALAR}, {"rounding", FH_I32, FH_SCALAR},
        {"start_count", FH_I32, FH_SCALAR}, {"episode_steps", FH_I32, FH_SCALAR}, {"key0", FH_U32, FH_SCALAR},
        {"key1", FH_U32, FH_SCALAR}, {"salt", FH_U32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR}),
    FOXHUNT_CONSTANTS("LEVELS"), nullptr);

}  // namespace foxhunt::kernels
