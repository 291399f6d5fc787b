// QR-DQN (Dabney et al. 2018a): quantiles [batch, QUANTILES, ACTIONS] at the midpoints (2i + 1) / (2 QUANTILES).
// Constants ACTIONS, QUANTILES.
#include "common/platform.cuh"
#include "common/quantile_huber.cuh"

// Mean and variance of each action's distribution: `rows` = batch * ACTIONS of them.
extern "C" __global__ void qr_moments(const real* __restrict__ z, real* __restrict__ mean, real* __restrict__ variance,
                                      int rows) {
  FH_FOR_ELEMENTS(row, rows) {
    const real* from = z + row / ACTIONS * (QUANTILES * ACTIONS) + row % ACTIONS;
    quantile_moments(from, QUANTILES, ACTIONS, mean + row, variance + row);
  }
}

// One block a sample. `choosing`: the quantiles whose means choose the action, `next` or the online net's.
extern "C" __global__ void qr_target(const real* __restrict__ next, const real* __restrict__ choosing,
                                     const real* __restrict__ reward, const real* __restrict__ discount,
                                     real* __restrict__ target, int mixed, real temperature, int batch) {
  FH_SHARED(real, shared);
  const int size = mixed ? 2 * ACTIONS * QUANTILES : QUANTILES;
  for (int s = blockIdx.x; s < batch; s += gridDim.x) {
    const long long at = static_cast<long long>(s) * (QUANTILES * ACTIONS);
    quantile_target(next + at, choosing + at, QUANTILES, QUANTILES, ACTIONS, mixed, temperature, reward[s], discount[s],
                    target + static_cast<long long>(s) * size, shared);
  }
}

// One block a sample.
extern "C" __global__ void qr_loss(const real* __restrict__ z, const real* __restrict__ target,
                                   const int* __restrict__ action, real* __restrict__ loss, real* __restrict__ grad_z,
                                   int mixed, real kappa, real scale, int batch) {
  FH_SHARED(real, scratch);
  const int targets = mixed ? ACTIONS * QUANTILES : QUANTILES;
  for (int s = blockIdx.x; s < batch; s += gridDim.x) {
    const long long at = static_cast<long long>(s) * (QUANTILES * ACTIONS);
    const real* values = target + static_cast<long long>(s) * targets * (mixed ? 2 : 1);
    const real total = quantile_regression(
        z + at, [](int i) { return (real(i) + real(0.5)) / real(QUANTILES); }, values,
        mixed ? values + targets : nullptr, QUANTILES, targets, ACTIONS, action[s], kappa, scale, grad_z + at, scratch);
    if (threadIdx.x == 0) loss[s] = total;
  }
}
