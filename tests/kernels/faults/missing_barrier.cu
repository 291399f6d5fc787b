// Every row is read backwards through shared memory before all of it is written. One block, n <= 64.
#include "common/platform.cuh"

extern "C" __global__ void missing_barrier(const real* __restrict__ x, real* __restrict__ y, int n) {
  FH_SHARED(real, row);
  for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = x[i];
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = row[n - 1 - i];
}

extern "C" __global__ void missing_barrier_mended(const real* __restrict__ x, real* __restrict__ y, int n) {
  FH_SHARED(real, row);
  for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = row[n - 1 - i];
}
