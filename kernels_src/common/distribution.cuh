// Short rows of logits held by one thread.
#pragma once
#include "common/math.cuh"
#include "common/platform.cuh"

// out = in - log(sum(exp(in))); `in` and `out` may be the same.
static __device__ inline void log_softmax_row(const real* in, real* out, int n) {
  real highest = in[0];
  for (int i = 1; i < n; ++i) highest = fh_max(highest, in[i]);
  real sum = real(0);
  for (int i = 0; i < n; ++i) sum += fh_exp(in[i] - highest);
  const real shift = highest + fh_log(sum);
  for (int i = 0; i < n; ++i) out[i] = in[i] - shift;
}

// The same over the legal entries alone; the others become 0 and are no part of the sum. At least one is legal.
template <class Legal>
static __device__ inline void log_softmax_row(const real* in, real* out, int n, Legal legal) {
  real highest = real(0);
  bool any = false;
  for (int i = 0; i < n; ++i) {
    if (!legal(i)) continue;
    highest = any ? fh_max(highest, in[i]) : in[i];
    any = true;
  }
  real sum = real(0);
  for (int i = 0; i < n; ++i)
    if (legal(i)) sum += fh_exp(in[i] - highest);
  const real shift = highest + fh_log(sum);
  for (int i = 0; i < n; ++i) out[i] = legal(i) ? in[i] - shift : real(0);
}

// Ties go to the lowest index.
static __device__ inline int argmax_row(const real* values, int n) {
  int best = 0;
  for (int i = 1; i < n; ++i) best = values[i] > values[best] ? i : best;
  return best;
}
