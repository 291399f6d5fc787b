// A barrier orders one block, not its neighbour, whose result is read here.
#include "common/platform.cuh"

extern "C" __global__ void reads_other_block(const real* __restrict__ x, real* __restrict__ doubled,
                                             real* __restrict__ y, int n) {
  FH_FOR_ELEMENTS(i, n) doubled[i] = real(2) * x[i];
  __syncthreads();
  FH_FOR_ELEMENTS(i, n) y[i] = doubled[(i + 1) % n];
}

extern "C" __global__ void reads_other_block_mended(const real* __restrict__ x, real* __restrict__ doubled,
                                                    real* __restrict__ y, int n) {
  FH_FOR_ELEMENTS(i, n) doubled[i] = real(2) * x[i];
  __syncthreads();
  FH_FOR_ELEMENTS(i, n) y[i] = real(2) * x[(i + 1) % n];
}
