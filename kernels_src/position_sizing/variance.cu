// scale = 1 / (1 + sqrt(Var[a])) in (0, 1], of the taken action's return. Constant ACTIONS.
#include "common/math.cuh"
#include "common/platform.cuh"

extern "C" __global__ void variance_size(const real* __restrict__ variance_q, const int* __restrict__ action,
                                         const real* __restrict__ target_position, real* __restrict__ scale,
                                         real* __restrict__ position, int batch) {
  FH_FOR_ELEMENTS(i, batch) {
    const real v = variance_q[static_cast<long long>(i) * ACTIONS + action[i]];
    // A variance that rounding made negative is 0; NaN stays NaN.
    const real s = real(1) / (real(1) + fh_sqrt(v < real(0) ? real(0) : v));
    scale[i] = s;
    position[i] = target_position[i] * s;
  }
}
