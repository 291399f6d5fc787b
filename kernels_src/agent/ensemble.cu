// Weighted sum of the heads' expected Q.
#include "common/platform.cuh"

// first != 0 overwrites, so that nothing is read before it was written.
extern "C" __global__ void ensemble_add(const real* __restrict__ q, real* __restrict__ sum, real weight, int first,
                                        int n) {
  FH_FOR_ELEMENTS(i, n) sum[i] = (first ? real(0) : sum[i]) + weight * q[i];
}
