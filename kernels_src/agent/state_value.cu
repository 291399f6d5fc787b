// What Q says of a state: its mean over the actions, its expectation under the policy, or its maximum. Constant ACTIONS.
#include "common/distribution.cuh"
#include "common/lanes.cuh"
#include "common/math.cuh"
#include "common/platform.cuh"

static __device__ inline real state_value_of(const real* q, const real* logits, int mode) {
  if (mode == 2) return q[argmax_row(q, ACTIONS)];
  if (mode == 0) return lane_sum(ACTIONS, [&](int a) { return q[a]; }) / real(ACTIONS);
  real log_p[ACTIONS];
  log_softmax_row(logits, log_p, ACTIONS);
  return lane_sum(ACTIONS, [&](int a) { return fh_exp(log_p[a]) * q[a]; });
}

// mode 0: mean, 1: under the policy of these logits, 2: maximum.
extern "C" __global__ void state_value(const real* __restrict__ q, const real* __restrict__ logits, real* __restrict__ value,
                                       int mode, int n) {
  FH_FOR_ELEMENTS(i, n) value[i] = state_value_of(q + i * ACTIONS, logits + i * ACTIONS, mode);
}

// rows [6, n]: for each mode in turn the value, and the return minus it.
extern "C" __global__ void state_value_errors(const real* __restrict__ q, const real* __restrict__ logits,
                                              const real* __restrict__ returns, real* __restrict__ rows, int n) {
  FH_FOR_ELEMENTS(i, n)
    for (int mode = 0; mode < 3; ++mode) {
      const real value = state_value_of(q + i * ACTIONS, logits + i * ACTIONS, mode);
      rows[2LL * mode * n + i] = value;
      rows[(2LL * mode + 1) * n + i] = returns[i] - value;
    }
}
