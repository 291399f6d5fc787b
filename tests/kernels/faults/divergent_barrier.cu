// Threads without an element never come to the barrier. One block, n <= 64.
#include "common/platform.cuh"

extern "C" __global__ void divergent_barrier(const real* __restrict__ x, real* __restrict__ y, int n) {
  FH_SHARED(real, row);
  if (threadIdx.x % 2 == 0) {
    for (int i = threadIdx.x / 2; i < n; i += (blockDim.x + 1) / 2) row[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x / 2; i < n; i += (blockDim.x + 1) / 2) y[i] = row[n - 1 - i];
  }
}

extern "C" __global__ void divergent_barrier_mended(const real* __restrict__ x, real* __restrict__ y, int n) {
  FH_SHARED(real, row);
  if (threadIdx.x % 2 == 0)
    for (int i = threadIdx.x / 2; i < n; i += (blockDim.x + 1) / 2) row[i] = x[i];
  __syncthreads();
  if (threadIdx.x % 2 == 0)
    for (int i = threadIdx.x / 2; i < n; i += (blockDim.x + 1) / 2) y[i] = row[n - 1 - i];
}
