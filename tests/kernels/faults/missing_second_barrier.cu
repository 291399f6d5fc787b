// Shared memory is used again for the next row while other threads still read this one. One block, n <= 64.
#include "common/platform.cuh"

extern "C" __global__ void missing_second_barrier(const real* __restrict__ x, real* __restrict__ y, int n, int rows) {
  FH_SHARED(real, row);
  for (int r = 0; r < rows; ++r) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = x[r * n + i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[r * n + i] = row[n - 1 - i];
  }
}

extern "C" __global__ void missing_second_barrier_mended(const real* __restrict__ x, real* __restrict__ y, int n,
                                                         int rows) {
  FH_SHARED(real, row);
  for (int r = 0; r < rows; ++r) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = x[r * n + i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[r * n + i] = row[n - 1 - i];
    __syncthreads();
  }
}
