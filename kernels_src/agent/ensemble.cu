// Weighted sum of the heads' expected Q.
#include "common/platform.cuh"

// first != 0 overwrites, so that nothing is read before it was written.
extern "C" __global__ void ensemble_add(const real* __restrict__ q, real* __restrict__ sum, real weight, int first,
                                        int n) {
  FH_FOR_ELEMENTS(i, n) sum[i] = (first ? real(0) : sum[i]) + weight * q[i];
}

// Advantage Q(s, a) - V(s) of the actions taken.
extern "C" __global__ void q_minus_v(const real* __restrict__ q, const int* __restrict__ action,
                                     const real* __restrict__ value, const unsigned char* __restrict__ valid,
                                     real* __restrict__ advantage, int actions, int samples) {
  FH_FOR_ELEMENTS(s, samples)
    advantage[s] = valid[s] ? q[static_cast<long long>(s) * actions + action[s]] - value[s] : real(0);
}
