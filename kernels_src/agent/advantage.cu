// Generalised advantage estimation (Schulman et al. 2016, eq. 16) with the three things that go wrong in it kept
// apart: the flag belongs to the transition that it ends; the value is bootstrapped after truncation and not after
// termination; the recursion stops at both. Tensors are [horizon, accounts], values [horizon + 1, accounts].
#include "common/platform.cuh"
#include "common/reduce.cuh"

extern "C" __global__ void gae(const real* __restrict__ reward, const real* __restrict__ value,
                               const unsigned char* __restrict__ done, const unsigned char* __restrict__ valid,
                               real* __restrict__ advantage, real* __restrict__ value_target, real gamma, real lambda,
                               int horizon, int accounts) {
  FH_FOR_ELEMENTS(i, accounts) {
    real running = real(0);
    for (int t = horizon - 1; t >= 0; --t) {
      const long long at = static_cast<long long>(t) * accounts + i;
      const real next = done[at] == 1 ? real(0) : value[at + accounts];
      const real delta = reward[at] + gamma * next - value[at];
      running = valid[at] ? delta + (done[at] ? real(0) : gamma * lambda * running) : real(0);
      advantage[at] = running;
      value_target[at] = running + value[at];
    }
  }
}

// moments = {count, mean, standard deviation} of x where valid. A batch without spread has deviation 0.
extern "C" __global__ void masked_moments(const real* __restrict__ x, const unsigned char* __restrict__ valid,
                                          double* __restrict__ moments, int n) {
  FH_SHARED(double, scratch);
  const double count = block_sum_over(n, [&](int i) { return valid[i] ? 1.0 : 0.0; }, scratch);
  const double sum = block_sum_over(n, [&](int i) { return valid[i] ? static_cast<double>(x[i]) : 0.0; }, scratch);
  const double mean = count > 0.0 ? sum / count : 0.0;
  const double squares = block_sum_over(
      n, [&](int i) { return valid[i] ? (x[i] - mean) * (x[i] - mean) : 0.0; }, scratch);
  if (threadIdx.x == 0) {
    moments[0] = count;
    moments[1] = mean;
    moments[2] = count > 1.0 ? fh_sqrt(squares / count) : 0.0;
  }
}
