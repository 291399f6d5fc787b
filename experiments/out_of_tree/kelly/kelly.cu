// The share of a position that Kelly's rule allows: fraction * E[a] / Var[a] of the taken action, in [0, 1].
// Constant ACTIONS.
#include "common/math.cuh"
#include "common/platform.cuh"

extern "C" __global__ void kelly_size(const real* __restrict__ expected_q, const real* __restrict__ variance_q,
                                      const int* __restrict__ action, const real* __restrict__ target_position,
                                      real* __restrict__ scale, real* __restrict__ position, real fraction, int batch) {
  FH_FOR_ELEMENTS(i, batch) {
    const long long taken = static_cast<long long>(i) * ACTIONS + action[i];
    const real gain = fraction * fh_max(expected_q[taken], real(0));
    const real risk = fh_max(variance_q[taken], real(0));
    // gain / risk capped at 1, also where there is no risk; NaN in either stays NaN.
    const real s = gain >= risk ? (gain > real(0) ? real(1) : real(0)) : gain / risk;
    scale[i] = s;
    position[i] = target_position[i] * s;
  }
}
