#pragma once
#include <cstdint>

namespace foxhunt::kernels {

/// Scratch of the block reductions in kernels_src/common/reduce.cuh: 8 bytes a thread.
constexpr uint64_t reduction_bytes(const int64_t*, uint32_t block_dim) { return 8ull * block_dim; }

}  // namespace foxhunt::kernels
