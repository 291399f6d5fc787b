// Sums over the rows of a matrix (gradients of biases), in two passes of fixed shape. Constant COLUMNS.
#include "common/platform.cuh"

// Block b sums rows [b*rows_per_block, …) into partial[b, :].
extern "C" __global__ void column_sum_partial(const real* __restrict__ x, real* __restrict__ partial, int rows,
                                              int rows_per_block) {
  const int block = blockIdx.x;
  const int first = block * rows_per_block;
  const int last = first + rows_per_block < rows ? first + rows_per_block : rows;
  real* to = partial + static_cast<long long>(block) * COLUMNS;
  for (int c = threadIdx.x; c < COLUMNS; c += blockDim.x) to[c] = real(0);
  // A thread only ever touches its own columns: no barrier.
  for (int r = first; r < last; ++r) {
    const real* from = x + static_cast<long long>(r) * COLUMNS;
    for (int c = threadIdx.x; c < COLUMNS; c += blockDim.x) to[c] += from[c];
  }
}

extern "C" __global__ void column_sum_finish(const real* __restrict__ partial, real* __restrict__ sum, real scale,
                                             int blocks) {
  FH_FOR_ELEMENTS(c, COLUMNS) {
    real total = real(0);
    for (int b = 0; b < blocks; ++b) total += partial[static_cast<long long>(b) * COLUMNS + c];
    sum[c] = scale * total;
  }
}
