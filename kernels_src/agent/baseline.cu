// Values that stand for V in the advantage.
#include "common/math.cuh"
#include "common/platform.cuh"

// alpha scalar + (1 - alpha) head, alpha linear from 1 at step `from` to 0 at step `to`. At either end it is the one value
// alone, to the bit.
extern "C" __global__ void blend_value(const real* __restrict__ scalar, const real* __restrict__ head,
                                       const unsigned long long* __restrict__ step, real* __restrict__ value, double from,
                                       double to, int n) {
  const double now = static_cast<double>(*step);
  const real alpha = now <= from ? real(1) : now >= to ? real(0) : real((to - now) / (to - from));
  FH_FOR_ELEMENTS(i, n)
    value[i] = alpha == real(1) ? scalar[i] : alpha == real(0) ? head[i] : alpha * scalar[i] + (real(1) - alpha) * head[i];
}

// Written so that NaN stays NaN.
extern "C" __global__ void cut_value(const real* __restrict__ from, real* __restrict__ to, real low, real high, int n) {
  FH_FOR_ELEMENTS(i, n) {
    const real v = from[i] < low ? low : from[i];
    to[i] = v > high ? high : v;
  }
}

// A gradient from the replay on top of another one, once the replay holds `start` transitions: ring = {next slot, held}.
extern "C" __global__ void add_gradient(const real* __restrict__ from, const int* __restrict__ ring,
                                        real* __restrict__ to, int start, int n) {
  const bool there = ring[1] >= start;
  FH_FOR_ELEMENTS(i, n) to[i] += there ? from[i] : real(0);
}
