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

FOXHUNT_KERNEL(n_step_windows, "replay/ring.cu", 256,
               FOXHUNT_PARAMS({"reward", FH_F32, FH_IN}, {"done", FH_U8, FH_IN}, {"sum", FH_F32, FH_OUT},
                              {"discount", FH_F32, FH_OUT}, {"next", FH_I32, FH_OUT}, {"gamma", FH_F32, FH_SCALAR},
                              {"n", FH_I32, FH_SCALAR}, {"starts", FH_I32, FH_SCALAR},
                              {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("WIDTH"), nullptr);

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

}  // namespace foxhunt::kernels
