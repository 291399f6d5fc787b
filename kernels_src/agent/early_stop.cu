// Ends the epochs of an on-policy update once the policy has moved far enough.
#include "common/platform.cuh"
#include "common/reduce.cuh"

// go = {0, 1} while steps are taken. Before a step: its mean of rho - 1 - log rho over the valid samples, an estimate of
// KL(old || new) that is never negative (Schulman 2020), against `limit`; once beyond, go[1] is 0 for the rest of the
// update. A NaN stops nothing: the gates are to see it. first != 0 begins an update. One block.
extern "C" __global__ void stop_beyond(const real* __restrict__ kl, const unsigned char* __restrict__ valid,
                                       int* __restrict__ go, double limit, int first, int n) {
  FH_SHARED(double, scratch);
  const double count = block_sum_over(n, [&](int i) { return valid[i] ? 1.0 : 0.0; }, scratch);
  const double sum = block_sum_over(n, [&](int i) { return valid[i] ? static_cast<double>(kl[i]) : 0.0; }, scratch);
  if (threadIdx.x == 0) {
    const bool beyond = count > 0.0 && sum > limit * count;
    go[1] = beyond ? 0 : first ? 1 : go[1];
    go[0] = 0;
  }
}
