#pragma once
#include <foxhunt/kernel.hpp>

#include "shared_bytes.hpp"

// Declarations of the kernels in kernels_src/replay/.

namespace foxhunt::kernels {

FOXHUNT_KERNEL(ring_slots, "replay/ring.cu", 1024,
               FOXHUNT_PARAMS({"valid", FH_U8, FH_IN}, {"ring", FH_I32, FH_IN}, {"slot", FH_I32, FH_OUT},
                              {"ring_next", FH_I32, FH_OUT}, {"capacity", FH_I32, FH_SCALAR},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("WIDTH"), reduction_bytes);

FOXHUNT_KERNEL(n_step_windows, "replay/n_step.cu", 256,
               FOXHUNT_PARAMS({"reward", FH_F32, FH_IN}, {"done", FH_U8, FH_IN}, {"sum", FH_F32, FH_OUT},
                              {"discount", FH_F32, FH_OUT}, {"next", FH_I32, FH_OUT}, {"gamma", FH_F32, FH_SCALAR},
                              {"n", FH_I32, FH_SCALAR}, {"starts", FH_I32, FH_SCALAR}, {"rows", FH_I32, FH_SCALAR},
                              {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(ring_write, "replay/ring.cu", 128,
               FOXHUNT_PARAMS({"slot", FH_I32, FH_IN}, {"states", FH_F32, FH_IN}, {"next", FH_I32, FH_IN},
                              {"action", FH_I32, FH_IN}, {"reward", FH_F32, FH_IN}, {"discount", FH_F32, FH_IN},
                              {"ring_state", FH_F32, FH_INOUT, FH_INDEXED},
                              {"ring_next_state", FH_F32, FH_INOUT, FH_INDEXED},
                              {"ring_action", FH_I32, FH_INOUT, FH_INDEXED},
                              {"ring_reward", FH_F32, FH_INOUT, FH_INDEXED},
                              {"ring_discount", FH_F32, FH_INOUT, FH_INDEXED}),
               FOXHUNT_CONSTANTS("WIDTH"), nullptr);

FOXHUNT_KERNEL(ring_sample, "replay/ring.cu", 128,
               FOXHUNT_PARAMS({"ring", FH_I32, FH_IN}, {"step", FH_U64, FH_IN}, {"ring_state", FH_F32, FH_IN, FH_INDEXED},
                              {"ring_next_state", FH_F32, FH_IN, FH_INDEXED}, {"ring_action", FH_I32, FH_IN, FH_INDEXED},
                              {"ring_reward", FH_F32, FH_IN, FH_INDEXED}, {"ring_discount", FH_F32, FH_IN, FH_INDEXED},
                              {"state", FH_F32, FH_OUT}, {"next_state", FH_F32, FH_OUT}, {"action", FH_I32, FH_OUT},
                              {"reward", FH_F32, FH_OUT}, {"discount", FH_F32, FH_OUT},
                              {"key0", FH_U32, FH_SCALAR}, {"key1", FH_U32, FH_SCALAR},
                              {"salt", FH_U32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("WIDTH"), nullptr);

FOXHUNT_KERNEL(sequence_write, "replay/sequence.cu", 256,
               FOXHUNT_PARAMS({"values", FH_F32, FH_IN}, {"ring", FH_I32, FH_IN},
                              {"ring_values", FH_F32, FH_INOUT, FH_INDEXED}, {"rows", FH_I32, FH_SCALAR},
                              {"accounts", FH_I32, FH_SCALAR}, {"columns", FH_I32, FH_SCALAR},
                              {"capacity", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(sequence_write_steps, "replay/sequence.cu", 256,
               FOXHUNT_PARAMS({"ring", FH_I32, FH_IN}, {"action", FH_I32, FH_IN}, {"reward", FH_F32, FH_IN},
                              {"done", FH_U8, FH_IN}, {"valid", FH_U8, FH_IN},
                              {"ring_action", FH_I32, FH_INOUT, FH_INDEXED}, {"ring_reward", FH_F32, FH_INOUT, FH_INDEXED},
                              {"ring_done", FH_U8, FH_INOUT, FH_INDEXED}, {"ring_valid", FH_U8, FH_INOUT, FH_INDEXED},
                              {"horizon", FH_I32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR},
                              {"capacity", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(sequence_advance, "replay/sequence.cu", 32,
               FOXHUNT_PARAMS({"ring", FH_I32, FH_INOUT}, {"horizon", FH_I32, FH_SCALAR}, {"accounts", FH_I32, FH_SCALAR},
                              {"capacity", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(sequence_draw, "replay/sequence.cu", 128,
               FOXHUNT_PARAMS({"ring", FH_I32, FH_IN}, {"step", FH_U64, FH_IN}, {"ring_valid", FH_U8, FH_IN, FH_INDEXED},
                              {"slot", FH_I32, FH_OUT}, {"first", FH_I32, FH_SCALAR}, {"horizon", FH_I32, FH_SCALAR},
                              {"chosen", FH_I32, FH_SCALAR}, {"key0", FH_U32, FH_SCALAR}, {"key1", FH_U32, FH_SCALAR},
                              {"salt", FH_U32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(sequence_read, "replay/sequence.cu", 256,
               FOXHUNT_PARAMS({"slot", FH_I32, FH_IN}, {"ring_values", FH_F32, FH_IN, FH_INDEXED}, {"values", FH_F32, FH_OUT},
                              {"rows", FH_I32, FH_SCALAR}, {"chosen", FH_I32, FH_SCALAR}, {"columns", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(sequence_read_steps, "replay/sequence.cu", 256,
               FOXHUNT_PARAMS({"slot", FH_I32, FH_IN}, {"ring_action", FH_I32, FH_IN, FH_INDEXED},
                              {"ring_reward", FH_F32, FH_IN, FH_INDEXED}, {"ring_done", FH_U8, FH_IN, FH_INDEXED},
                              {"ring_valid", FH_U8, FH_IN, FH_INDEXED}, {"action", FH_I32, FH_OUT},
                              {"reward", FH_F32, FH_OUT}, {"done", FH_U8, FH_OUT}, {"valid", FH_U8, FH_OUT},
                              {"horizon", FH_I32, FH_SCALAR}, {"chosen", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(pick_valid, "replay/sequence.cu", 1024,
               FOXHUNT_PARAMS({"valid", FH_U8, FH_IN}, {"pick", FH_I32, FH_OUT}, {"rank", FH_I32, FH_OUT},
                              {"count", FH_I32, FH_OUT}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(gather_transitions, "replay/sequence.cu", 256,
               FOXHUNT_PARAMS({"pick", FH_I32, FH_IN}, {"action", FH_I32, FH_IN}, {"reward", FH_F32, FH_IN},
                              {"discount", FH_F32, FH_IN}, {"next", FH_I32, FH_IN}, {"to_action", FH_I32, FH_OUT},
                              {"to_reward", FH_F32, FH_OUT}, {"to_discount", FH_F32, FH_OUT}, {"to_next", FH_I32, FH_OUT},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(scatter_picked, "replay/sequence.cu", 256,
               FOXHUNT_PARAMS({"rank", FH_I32, FH_IN}, {"count", FH_I32, FH_IN}, {"gradient", FH_F32, FH_IN},
                              {"to", FH_F32, FH_OUT}, {"n", FH_I32, FH_SCALAR}, {"columns", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

}  // namespace foxhunt::kernels
