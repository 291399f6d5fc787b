#pragma once
#include <foxhunt/kernel.hpp>

#include "compute/program.hpp"
#include "kernels/shared_bytes.hpp"

// Kernels that show what kernels_src/common/ does; their source is probes/common.cu.

namespace foxhunt::kernels::test {

FOXHUNT_KERNEL(probe_reduce, "probes/common.cu", 128,
               FOXHUNT_PARAMS({"x", FH_F32, FH_IN}, {"sum", FH_F32, FH_OUT}, {"plain_sum", FH_F32, FH_OUT},
                              {"highest", FH_F32, FH_OUT}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);
FOXHUNT_KERNEL(probe_scan, "probes/common.cu", 128,
               FOXHUNT_PARAMS({"x", FH_I32, FH_IN}, {"before", FH_I32, FH_OUT}, {"total", FH_I32, FH_OUT},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, reduction_bytes);
FOXHUNT_KERNEL(probe_rows, "probes/common.cu", 256,
               FOXHUNT_PARAMS({"x", FH_F32, FH_IN}, {"sum", FH_F32, FH_OUT}, {"highest", FH_F32, FH_OUT},
                              {"best", FH_I32, FH_OUT}, {"log_softmax", FH_F32, FH_OUT},
                              {"width", FH_I32, FH_SCALAR}, {"rows", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);
FOXHUNT_KERNEL(probe_math, "probes/common.cu", 256,
               FOXHUNT_PARAMS({"x", FH_F32, FH_IN}, {"exp", FH_F32, FH_OUT}, {"log", FH_F32, FH_OUT},
                              {"log1p", FH_F32, FH_OUT}, {"tanh", FH_F32, FH_OUT}, {"sigmoid", FH_F32, FH_OUT},
                              {"softplus", FH_F32, FH_OUT}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);
FOXHUNT_KERNEL(probe_min_max, "probes/common.cu", 256,
               FOXHUNT_PARAMS({"a", FH_F32, FH_IN}, {"b", FH_F32, FH_IN}, {"lower", FH_F32, FH_OUT},
                              {"higher", FH_F32, FH_OUT}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);
FOXHUNT_KERNEL(probe_philox, "probes/common.cu", 256,
               FOXHUNT_PARAMS({"counter", FH_U32, FH_IN}, {"words", FH_U32, FH_OUT}, {"uniform", FH_F32, FH_OUT},
                              {"gumbel", FH_F32, FH_OUT}, {"key0", FH_U32, FH_SCALAR}, {"key1", FH_U32, FH_SCALAR},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

const compute::KernelLibrary& probe_kernels();

/// Text of a file below tests/kernels/, "probes/common.cu". Kept for the life of the process.
/// @throws foxhunt::Error if it cannot be read.
const char* test_source(const std::string& name);

}  // namespace foxhunt::kernels::test
