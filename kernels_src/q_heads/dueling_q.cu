// Q-learning on expected values: y = reward + discount * Q_target(next, a*), Huber's loss of the taken action.
// Constant ACTIONS.
#include "common/math.cuh"
#include "common/platform.cuh"
#include "common/select.cuh"

// `choosing` [batch, ACTIONS]: the values that choose the next action, `next` or the online net's.
extern "C" __global__ void dueling_q_target(const real* __restrict__ next, const real* __restrict__ choosing,
                                            const real* __restrict__ reward, const real* __restrict__ discount,
                                            real* __restrict__ target, int mixed, real temperature, int batch) {
  FH_FOR_ELEMENTS(b, batch) {
    real weight[ACTIONS];
    bootstrap_weights(choosing + b * ACTIONS, weight, ACTIONS, mixed, temperature);
    real value = real(0);
    // An action without weight counts nothing, whatever its value.
    for (int a = 0; a < ACTIONS; ++a) value += weight[a] == real(0) ? real(0) : weight[a] * next[b * ACTIONS + a];
    target[b] = reward[b] + discount[b] * value;
  }
}

// Huber's loss of u = Q(taken) - y: u^2/2 where |u| <= kappa, else kappa (|u| - kappa/2); its gradient is u clipped to
// [-kappa, kappa]. The gradient is times `scale`, 0 for the actions not taken.
extern "C" __global__ void dueling_q_loss(const real* __restrict__ q, const real* __restrict__ target,
                                          const int* __restrict__ action, real* __restrict__ loss,
                                          real* __restrict__ grad_q, real kappa, real scale, int batch) {
  FH_FOR_ELEMENTS(b, batch) {
    const int taken = action[b];
    const real u = q[b * ACTIONS + taken] - target[b], size = fh_abs(u), c = fh_min(size, kappa);
    loss[b] = c * (size - real(0.5) * c);
    const real slope = u < real(0) ? -c : c;
    for (int a = 0; a < ACTIONS; ++a) grad_q[b * ACTIONS + a] = a == taken ? slope * scale : real(0);
  }
}
