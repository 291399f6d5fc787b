// The first threads of all blocks add to one number. Block b has element b.
#include "common/platform.cuh"

extern "C" __global__ void sum_of_blocks(const real* __restrict__ x, real* __restrict__ total,
                                         real* __restrict__ of_block, int) {
  if (threadIdx.x == 0) {
    of_block[blockIdx.x] = x[blockIdx.x];
    total[0] += x[blockIdx.x];
  }
}

extern "C" __global__ void sum_of_blocks_mended(const real* __restrict__ x, real* __restrict__,
                                                real* __restrict__ of_block, int) {
  if (threadIdx.x == 0) of_block[blockIdx.x] = x[blockIdx.x];
}
