// An element of shared memory for each thread. The faulty kernel's declaration asks for 32, whatever the block.
#include "common/platform.cuh"

extern "C" __global__ void shared_overrun(const real* __restrict__ x, real* __restrict__ y, int n) {
  FH_SHARED(real, held);
  held[threadIdx.x] = real(0);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    held[threadIdx.x] = x[i];
    y[i] = held[threadIdx.x];
  }
}

extern "C" __global__ void shared_overrun_mended(const real* __restrict__ x, real* __restrict__ y, int n) {
  FH_SHARED(real, held);
  held[threadIdx.x] = real(0);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    held[threadIdx.x] = x[i];
    y[i] = held[threadIdx.x];
  }
}
