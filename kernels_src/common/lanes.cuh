// Sums and maxima of one thread with a fixed number of lanes: they vectorise, and the bits depend on n alone.
#pragma once
#include "common/math.cuh"

// Unrolled whole, a lane loop whose terms are chosen by a condition is vectorised wrongly by GCC 12 where there is AVX2 and
// no AVX-512: lanes are lost.
#if defined(FH_CPU) && defined(__GNUC__) && !defined(__clang__)
#define FH_KEEP_LOOP _Pragma("GCC unroll 1")
#else
#define FH_KEEP_LOOP
#endif

// f(0) + … + f(n - 1), lane i % 16 first, then the lanes as a tree.
template <class F>
static __device__ inline auto lane_sum(int n, F f) -> decltype(f(0)) {
  typedef decltype(f(0)) T;
  T lane[16] = {};
  int i = 0;
  for (; i + 16 <= n; i += 16) {
    FH_KEEP_LOOP
    for (int j = 0; j < 16; ++j) lane[j] += f(i + j);
  }
  for (int j = 0; i + j < n; ++j) lane[j] += f(i + j);
  for (int width = 8; width > 0; width /= 2)
    for (int j = 0; j < width; ++j) lane[j] += lane[j + width];
  return lane[0];
}

// Largest of f(0) … f(n - 1); n >= 1. A NaN among them is the result.
template <class F>
static __device__ inline auto lane_max(int n, F f) -> decltype(f(0)) {
  typedef decltype(f(0)) T;
  T best = f(0);
  for (int i = 1; i < n; ++i) best = fh_max(best, f(i));
  return best;
}
