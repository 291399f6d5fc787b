// Windows of n steps.
#include "common/platform.cuh"

// What each of `starts` steps sees of the n steps that begin with it: the discounted sum of rewards (Sutton & Barto 2018,
// eq. 7.1) and where to bootstrap. A window ends with its episode, so it never reaches into the next one, and with the
// last of the `rows` steps there are. Inputs are [rows, accounts], outputs [starts, accounts]; `next` is the row of the
// last observation in [rows + 1, accounts]; discount is gamma^length, 0 where terminated.
extern "C" __global__ void n_step_windows(const real* __restrict__ reward, const unsigned char* __restrict__ done,
                                          real* __restrict__ sum, real* __restrict__ discount, int* __restrict__ next,
                                          real gamma, int n, int starts, int rows, int accounts) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(starts) * accounts) {
    const long long end_of_rows = static_cast<long long>(rows) * accounts;
    real total = real(0), weight = real(1);
    unsigned char end = 0;
    long long at = i;
    for (int k = 0; k < n && !end && at < end_of_rows; ++k) {
      total += weight * reward[at];
      weight *= gamma;
      end = done[at];
      at += accounts;
    }
    sum[i] = total;
    discount[i] = end == 1 ? real(0) : weight;
    next[i] = static_cast<int>(at);
  }
}
