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

// For all that learns, an episode that was cut has ended.
extern "C" __global__ void end_where_truncated(unsigned char* __restrict__ done, int n) {
  FH_FOR_ELEMENTS(i, n) { done[i] = done[i] ? 1 : 0; }
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

// Returns of n steps (Sutton & Barto 2018, eq. 7.1), fewer where the rollout or the episode ends: `bootstrap` is the
// value that stands for the rest, `value` what is subtracted for the advantage. Both are [horizon + 1, accounts].
extern "C" __global__ void n_step_returns(const real* __restrict__ reward, const real* __restrict__ bootstrap,
                                          const real* __restrict__ value, const unsigned char* __restrict__ done,
                                          const unsigned char* __restrict__ valid, real* __restrict__ advantage,
                                          real* __restrict__ value_target, real gamma, int n, int horizon,
                                          int accounts) {
  const long long samples = static_cast<long long>(horizon) * accounts;
  FH_FOR_ELEMENTS(i, samples) {
    real total = real(0), weight = real(1);
    unsigned char end = 0;
    long long at = i;
    for (int k = 0; k < n && at < samples && !end; ++k) {
      total += weight * reward[at];
      weight *= gamma;
      end = done[at];
      at += accounts;
    }
    if (end != 1) total += weight * bootstrap[at];
    value_target[i] = valid[i] ? total : value[i];
    advantage[i] = valid[i] ? total - value[i] : real(0);
  }
}
