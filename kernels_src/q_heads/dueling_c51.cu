// Targets of a categorical advantage that come from a value: y = reward + discount * V(next) - V(now), one number that
// depends on no action. Constants ACTIONS, ATOMS.
#include "common/distribution.cuh"
#include "common/lanes.cuh"
#include "common/math.cuh"
#include "common/platform.cuh"

// The mass 1 at y, shared out between the two atoms around it. low = v_min / delta.
extern "C" __global__ void dueling_c51_scalar_target(const real* __restrict__ reward, const real* __restrict__ discount,
                                                     const real* __restrict__ value, const real* __restrict__ value_next,
                                                     real* __restrict__ target, real low, real delta, int batch) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(batch) * ATOMS) {
    const long long b = i / ATOMS;
    real position = (reward[b] + discount[b] * value_next[b] - value[b]) / delta - low;
    // Written so that NaN stays NaN: a bad reward shows in the loss.
    position = position < real(0) ? real(0) : position;
    position = position > real(ATOMS - 1) ? real(ATOMS - 1) : position;
    const real share = real(1) - fh_abs(position - real(i % ATOMS));
    target[i] = share < real(0) ? real(0) : share;
  }
}

// The mean over all actions of the cross-entropies against the one target; logits and gradient, which is times `scale`,
// [batch, ACTIONS, ATOMS]. One block a sample.
extern "C" __global__ void dueling_c51_broadcast_loss(const real* __restrict__ logits, const real* __restrict__ target,
                                                      real* __restrict__ loss, real* __restrict__ grad_logits, real scale,
                                                      int batch) {
  FH_SHARED(real, cross_entropy);  // [ACTIONS]
  for (int sample = blockIdx.x; sample < batch; sample += gridDim.x) {
    const long long at = static_cast<long long>(sample) * (ACTIONS * ATOMS);
    const real* m = target + static_cast<long long>(sample) * ATOMS;
    for (int a = threadIdx.x; a < ACTIONS; a += blockDim.x) {
      real* g = grad_logits + at + a * ATOMS;
      log_softmax_row(logits + at + a * ATOMS, g, ATOMS);
      cross_entropy[a] = -lane_sum(ATOMS, [&](int i) { return m[i] * g[i]; });
      for (int i = 0; i < ATOMS; ++i) g[i] = (fh_exp(g[i]) - m[i]) * (scale / real(ACTIONS));
    }
    __syncthreads();
    if (threadIdx.x == 0) loss[sample] = lane_sum(ACTIONS, [&](int a) { return cross_entropy[a]; }) / real(ACTIONS);
    __syncthreads();
  }
}
