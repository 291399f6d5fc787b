#pragma once
#include <foxhunt/kernel.hpp>

#include "compute/program.hpp"

namespace foxhunt::compute::cuda {

// Kernels of the backend itself, for what neither cuBLASLt nor the runtime's copies do.

FOXHUNT_KERNEL(fill_words32, "compute/linear.cu", 256,
               FOXHUNT_PARAMS({"y", FH_U32, FH_OUT}, {"value", FH_U32, FH_SCALAR}, {"n", FH_I64, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);
FOXHUNT_KERNEL(fill_words64, "compute/linear.cu", 256,
               FOXHUNT_PARAMS({"y", FH_U64, FH_OUT}, {"value", FH_U64, FH_SCALAR}, {"n", FH_I64, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);
/// C[m,n] = alpha op(A) op(B) + beta C + bias, one element at a time. bias is read if has_bias, C if beta !=
/// 0.
FOXHUNT_KERNEL(gemm_direct, "compute/linear.cu", 256,
               FOXHUNT_PARAMS({"a", FH_F32, FH_IN}, {"b", FH_F32, FH_IN}, {"bias", FH_F32, FH_IN},
                              {"c", FH_F32, FH_INOUT}, {"m", FH_I64, FH_SCALAR}, {"n", FH_I64, FH_SCALAR},
                              {"k", FH_I64, FH_SCALAR}, {"transpose_a", FH_I32, FH_SCALAR},
                              {"transpose_b", FH_I32, FH_SCALAR}, {"has_bias", FH_I32, FH_SCALAR},
                              {"alpha", FH_F32, FH_SCALAR}, {"beta", FH_F32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

inline const KernelLibrary& own_library() {
  static const KernelLibrary library{"foxhunt", {&fill_words32, &fill_words64, &gemm_direct}, {}};
  return library;
}

}  // namespace foxhunt::compute::cuda
