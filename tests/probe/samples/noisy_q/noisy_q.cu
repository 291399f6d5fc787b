// Half the squared error of the taken action's value with noise on it, and its gradient. Constant ACTIONS.
#include "common/platform.cuh"

extern "C" __global__ void noisy_q_loss(const real* __restrict__ q, const real* __restrict__ jitter,
                                        const int* __restrict__ action, const real* __restrict__ reward,
                                        const real* __restrict__ discount, const real* __restrict__ offset,
                                        real* __restrict__ loss, real* __restrict__ grad_q, real scale, int batch) {
  FH_FOR_ELEMENTS(s, batch) {
    const real error = q[s * ACTIONS + action[s]] + jitter[s] - reward[s] - discount[s];
    loss[s] = real(0.5) * error * error + offset[0];
    for (int a = 0; a < ACTIONS; ++a) grad_q[s * ACTIONS + a] = a == action[s] ? error * scale : real(0);
  }
}
