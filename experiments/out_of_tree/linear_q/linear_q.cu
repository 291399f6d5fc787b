// Half the squared TD error of the taken action, and its gradient. Constant ACTIONS.
#include "common/math.cuh"
#include "common/platform.cuh"

extern "C" __global__ void linear_q_loss(const real* __restrict__ q, const real* __restrict__ q_next,
                                         const int* __restrict__ action, const real* __restrict__ reward,
                                         const real* __restrict__ discount, real* __restrict__ loss,
                                         real* __restrict__ grad_q, real scale, int batch) {
  FH_FOR_ELEMENTS(s, batch) {
    const real* next = q_next + s * ACTIONS;
    real best = next[0];
    for (int a = 1; a < ACTIONS; ++a) best = fh_max(best, next[a]);
    const real error = q[s * ACTIONS + action[s]] - (reward[s] + discount[s] * best);
    loss[s] = real(0.5) * error * error;
    for (int a = 0; a < ACTIONS; ++a) grad_q[s * ACTIONS + a] = a == action[s] ? error * scale : real(0);
  }
}
