#pragma once
#include <foxhunt/kernel.hpp>

#include "shared_bytes.hpp"

// Declarations of the kernels in kernels_src/diagnostics/.

namespace foxhunt::kernels {

FOXHUNT_KERNEL(series_sums, "diagnostics/sums.cu", 256,
               FOXHUNT_PARAMS({"series", FH_F32, FH_IN}, {"valid", FH_U8, FH_IN}, {"out", FH_F64, FH_OUT},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(action_counts, "diagnostics/sums.cu", 256,
               FOXHUNT_PARAMS({"action", FH_I32, FH_IN}, {"valid", FH_U8, FH_IN}, {"out", FH_F64, FH_OUT},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(account_totals, "diagnostics/sums.cu", 1024,
               FOXHUNT_PARAMS({"pnl", FH_F64, FH_IN}, {"fees", FH_F64, FH_IN}, {"trades", FH_I64, FH_IN},
                              {"wins", FH_I64, FH_IN}, {"episodes", FH_I64, FH_IN}, {"position", FH_F64, FH_IN}, {"out", FH_F64, FH_OUT},
                              {"accounts", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(count_sum, "diagnostics/sums.cu", 1024,
               FOXHUNT_PARAMS({"counts", FH_I64, FH_IN}, {"out", FH_F64, FH_OUT}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(recent_returns, "diagnostics/returns.cu", 1024,
               FOXHUNT_PARAMS({"score", FH_F64, FH_IN}, {"done", FH_U8, FH_IN}, {"valid", FH_U8, FH_IN},
                              {"recent", FH_F64, FH_INOUT}, {"ended", FH_I64, FH_INOUT}, {"out", FH_F64, FH_OUT},
                              {"capacity", FH_I32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(ring_size, "diagnostics/sums.cu", 256, FOXHUNT_PARAMS({"ring", FH_I32, FH_IN}, {"out", FH_F64, FH_OUT}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(segment_squares, "diagnostics/sums.cu", 256,
               FOXHUNT_PARAMS({"values", FH_F32, FH_IN}, {"segments", FH_I64, FH_IN},
                              {"out", FH_F64, FH_OUT}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(segment_change, "diagnostics/sums.cu", 256,
               FOXHUNT_PARAMS({"before", FH_F32, FH_IN}, {"after", FH_F32, FH_IN}, {"segments", FH_I64, FH_IN},
                              {"out", FH_F64, FH_OUT}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);

FOXHUNT_KERNEL(record_metrics, "diagnostics/sums.cu", 256,
               FOXHUNT_PARAMS({"record", FH_F64, FH_IN}, {"step", FH_U64, FH_IN}, {"ring", FH_F64, FH_INOUT},
                              {"slots", FH_I32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(q_pi_agreement, "diagnostics/agreement.cu", 256,
               FOXHUNT_PARAMS({"q", FH_F32, FH_IN}, {"logits", FH_F32, FH_IN}, {"action", FH_I32, FH_IN},
                              {"series", FH_F32, FH_OUT}, {"samples", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

FOXHUNT_KERNEL(edge_mass, "diagnostics/agreement.cu", 256,
               FOXHUNT_PARAMS({"log_probs", FH_F32, FH_IN}, {"action", FH_I32, FH_IN},
                              {"series", FH_F32, FH_OUT}, {"atoms", FH_I32, FH_SCALAR},
                              {"samples", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("ACTIONS"), nullptr);

}  // namespace foxhunt::kernels
