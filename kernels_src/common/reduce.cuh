// Reductions and scans over the threads of a block. Every thread calls them and gets the result. `scratch` is shared
// memory of 8 bytes a thread; it may be in use until right before and again right after. The order of the additions
// depends on blockDim alone.
#pragma once
#include "common/lanes.cuh"
#include "common/math.cuh"
#include "common/platform.cuh"

template <class T, class Combine>
static __device__ inline T fh_block_tree(T value, T* scratch, Combine combine) {
#if defined(FH_CPU)
  (void)scratch;
  (void)combine;
  return value;
#else
#if defined(FH_CUDA)
  // Whole warps first combine among themselves: five shuffles instead of five barriers.
  if (blockDim.x % 32 == 0) {
    for (int d = 16; d > 0; d /= 2) value = combine(value, __shfl_down_sync(0xffffffffu, value, d));
    const int warps = blockDim.x / 32, warp = threadIdx.x / 32;
    __syncthreads();
    if (threadIdx.x % 32 == 0) scratch[warp] = value;
    __syncthreads();
    T total = scratch[0];
    for (int w = 1; w < warps; ++w) total = combine(total, scratch[w]);
    __syncthreads();
    return total;
  }
#endif
  const unsigned n = blockDim.x, me = threadIdx.x;
  unsigned width = 1;
  while (width < n) width *= 2;
  __syncthreads();
  scratch[me] = value;
  __syncthreads();
  for (width /= 2; width > 0; width /= 2) {
    if (me < width && me + width < n) scratch[me] = combine(scratch[me], scratch[me + width]);
    __syncthreads();
  }
  const T total = scratch[0];
  __syncthreads();
  return total;
#endif
}

template <class T>
static __device__ inline T block_sum(T value, T* scratch) {
  return fh_block_tree(value, scratch, [](T a, T b) { return a + b; });
}
template <class T>
static __device__ inline T block_max(T value, T* scratch) {
  return fh_block_tree(value, scratch, [](T a, T b) { return fh_max(a, b); });
}

// f(0) + … + f(n - 1), shared out over the block's threads.
template <class F, class T>
static __device__ inline T block_sum_over(int n, F f, T* scratch) {
#if defined(FH_CPU)
  (void)scratch;
  return lane_sum(n, f);
#else
  T mine = T(0);
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += f(i);
  return block_sum(mine, scratch);
#endif
}

// Sum of the values of the threads before this one; *total is that of all.
static __device__ inline int block_exclusive_scan(int value, int* total, int* scratch) {
#if defined(FH_CPU)
  (void)scratch;
  *total = value;
  return 0;
#else
  const unsigned n = blockDim.x, me = threadIdx.x;
  __syncthreads();
  scratch[me] = value;
  __syncthreads();
  for (unsigned d = 1; d < n; d *= 2) {
    const int before = me >= d ? scratch[me - d] : 0;
    __syncthreads();
    scratch[me] += before;
    __syncthreads();
  }
  const int through = scratch[me];
  *total = scratch[n - 1];
  __syncthreads();
  return through - value;
#endif
}
