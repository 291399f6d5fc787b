// Boltzmann probabilities of a row of Q values held by one thread, over the legal actions.
#pragma once
#include "common/math.cuh"
#include "common/platform.cuh"

struct every_action {
  __device__ bool operator()(int) const { return true; }
};

// p_a proportional to exp(q_a / (T sd)), sd the standard deviation of q over the legal actions: scaling or shifting Q
// changes nothing. No spread: uniform. Illegal actions have exactly 0. `q` and `p` may be the same. T > 0.
template <class Legal>
static __device__ inline void boltzmann_row(const real* q, real* p, int n, real temperature, Legal legal) {
  int count = 0;
  real base = real(0), sum = real(0), highest = real(0);
  for (int a = 0; a < n; ++a) {
    if (!legal(a)) continue;
    // Relative to the first legal action: equal values then have no spread at all, not one of rounding.
    if (count == 0) base = q[a];
    const real d = q[a] - base;
    sum += d;
    highest = fh_max(highest, d);
    ++count;
  }
  const real mean = count > 0 ? sum / real(count) : real(0);
  real squares = real(0);
  for (int a = 0; a < n; ++a)
    if (legal(a)) squares += (q[a] - base - mean) * (q[a] - base - mean);
  const real deviation = count > 0 ? fh_sqrt(squares / real(count)) : real(0);
  // A NaN must come out as one: only a true absence of spread is uniform.
  const real scale = temperature * deviation;
  real total = real(0);
  for (int a = 0; a < n; ++a) {
    p[a] = legal(a) ? fh_exp(scale == real(0) ? real(0) : (q[a] - base - highest) / scale) : real(0);
    total += p[a];
  }
  for (int a = 0; a < n; ++a) p[a] = p[a] / total;
}
