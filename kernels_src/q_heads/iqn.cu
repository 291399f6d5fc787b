// Implicit quantile networks (Dabney et al. 2018b): Z(h, tau) = f(h * phi(tau)) with
// phi(tau) = relu(W_phi cos(pi i tau) + b_phi), i = COSINE_FROM … COSINE_FROM + COSINES - 1.
// A row is one (sample, tau). Constants ACTIONS, HIDDEN (width of h), COSINES, COSINE_FROM.
#include "common/math.cuh"
#include "common/philox.cuh"
#include "common/platform.cuh"
#include "common/quantile_huber.cuh"

// `count` fractions, uniform in (0, 1).
extern "C" __global__ void iqn_draw(const unsigned long long* __restrict__ step, real* __restrict__ tau, unsigned key0,
                                    unsigned key1, unsigned salt, int count) {
  FH_FOR_ELEMENTS(group, (count + 3) / 4) {
    const fh_random4 draw = fh_philox(key0, key1, static_cast<unsigned>(group), salt, static_cast<unsigned>(*step),
                                      static_cast<unsigned>(*step >> 32));
    const unsigned bits[4] = {draw.x, draw.y, draw.z, draw.w};
    for (int lane = 0; lane < 4; ++lane)
      if (group * 4 + lane < count) tau[group * 4 + lane] = fh_uniform(bits[lane]);
  }
}

// tau[i] = (2i + 1) / (2 count).
extern "C" __global__ void iqn_midpoints(real* __restrict__ tau, int count) {
  FH_FOR_ELEMENTS(i, count) tau[i] = (real(i) + real(0.5)) / real(count);
}

extern "C" __global__ void iqn_cosines(const real* __restrict__ tau, real* __restrict__ cosines, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x)
    for (int i = threadIdx.x; i < COSINES; i += blockDim.x)
      cosines[static_cast<long long>(row) * COSINES + i] = fh_cos_pi(real(i + COSINE_FROM), tau[row]);
}

// x = h * relu(pre), row by row: one block a sample with its `samples` rows. shared_tau != 0: all samples of the batch
// have the same taus, and `pre` only the rows of one.
extern "C" __global__ void iqn_modulate(const real* __restrict__ h, const real* __restrict__ pre, real* __restrict__ x,
                                        int samples, int shared_tau, int batch) {
  for (int b = blockIdx.x; b < batch; b += gridDim.x) {
    const real* mine = h + static_cast<long long>(b) * HIDDEN;
    for (int k = 0; k < samples; ++k) {
      const long long row = static_cast<long long>(b) * samples + k;
      const real* from = pre + (shared_tau ? k : row) * HIDDEN;
      for (int j = threadIdx.x; j < HIDDEN; j += blockDim.x) x[row * HIDDEN + j] = mine[j] * fh_max(from[j], real(0));
    }
  }
}

// The mean over its rows alone, [batch, HIDDEN]: what the mean of the quantiles of a linear f depends on.
extern "C" __global__ void iqn_modulate_mean(const real* __restrict__ h, const real* __restrict__ pre,
                                             real* __restrict__ x, int samples, int batch) {
  for (int b = blockIdx.x; b < batch; b += gridDim.x) {
    const long long to = static_cast<long long>(b) * HIDDEN;
    // A thread only ever touches its own columns: no barrier.
    for (int j = threadIdx.x; j < HIDDEN; j += blockDim.x) x[to + j] = real(0);
    for (int k = 0; k < samples; ++k) {
      const real* from = pre + (static_cast<long long>(b) * samples + k) * HIDDEN;
      for (int j = threadIdx.x; j < HIDDEN; j += blockDim.x) x[to + j] += fh_max(from[j], real(0));
    }
    for (int j = threadIdx.x; j < HIDDEN; j += blockDim.x) x[to + j] *= h[to + j] / real(samples);
  }
}

// From dx: the gradient of pre in place of dx, and dh, the sum over the sample's rows.
extern "C" __global__ void iqn_modulate_backward(const real* __restrict__ h, const real* __restrict__ pre,
                                                 real* __restrict__ dx, real* __restrict__ dh, int samples, int batch) {
  for (int b = blockIdx.x; b < batch; b += gridDim.x) {
    const long long to = static_cast<long long>(b) * HIDDEN;
    for (int j = threadIdx.x; j < HIDDEN; j += blockDim.x) dh[to + j] = real(0);
    for (int k = 0; k < samples; ++k) {
      const long long from = (static_cast<long long>(b) * samples + k) * HIDDEN;
      for (int j = threadIdx.x; j < HIDDEN; j += blockDim.x) {
        const real d = dx[from + j], p = pre[from + j];
        dh[to + j] += d * fh_max(p, real(0));
        dx[from + j] = p > real(0) ? d * h[to + j] : real(0);
      }
    }
  }
}

extern "C" __global__ void iqn_relu(real* __restrict__ y, int rows, int width) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(rows) * width) y[i] = fh_max(y[i], real(0));
}

// dy becomes the gradient before the relu with result y.
extern "C" __global__ void iqn_relu_backward(const real* __restrict__ y, real* __restrict__ dy, int rows, int width) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(rows) * width) dy[i] = y[i] > real(0) ? dy[i] : real(0);
}

// For taus that all samples share, and linear f: the weights [HIDDEN, samples, ACTIONS] with which
// z[b, k, a] = sum_j h[b, j] folded[j, k, a] + folded_bias[k, a].
extern "C" __global__ void iqn_fold(const real* __restrict__ pre, const real* __restrict__ w, const real* __restrict__ b,
                                    real* __restrict__ folded, real* __restrict__ folded_bias, int samples) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(HIDDEN) * samples * ACTIONS) {
    const long long a = i % ACTIONS, k = i / ACTIONS % samples, j = i / ACTIONS / samples;
    folded[i] = fh_max(pre[k * HIDDEN + j], real(0)) * w[j * ACTIONS + a];
    if (j == 0) folded_bias[i] = b[a];
  }
}

// Mean and variance over the `samples` quantiles of each action: `rows` = batch * ACTIONS.
extern "C" __global__ void iqn_moments(const real* __restrict__ z, real* __restrict__ mean, real* __restrict__ variance,
                                       int samples, int rows) {
  FH_FOR_ELEMENTS(row, rows) {
    const real* from = z + row / ACTIONS * samples * ACTIONS + row % ACTIONS;
    quantile_moments(from, samples, ACTIONS, mean + row, variance + row);
  }
}

// One block a sample. `choosing` [batch, draws, ACTIONS]: the quantiles whose means choose the action.
extern "C" __global__ void iqn_target(const real* __restrict__ next, const real* __restrict__ choosing,
                                      const real* __restrict__ reward, const real* __restrict__ discount,
                                      real* __restrict__ target, int targets, int draws, int mixed, real temperature,
                                      int batch) {
  FH_SHARED(real, shared);
  const int size = mixed ? 2 * ACTIONS * targets : targets;
  for (int s = blockIdx.x; s < batch; s += gridDim.x) {
    const long long at = static_cast<long long>(s) * ACTIONS;
    quantile_target(next + at * targets, choosing + at * draws, targets, draws, ACTIONS, mixed, temperature, reward[s],
                    discount[s], target + static_cast<long long>(s) * size, shared);
  }
}

// One block a sample; z and grad_z [batch, samples, ACTIONS], tau [batch, samples].
extern "C" __global__ void iqn_loss(const real* __restrict__ z, const real* __restrict__ tau,
                                    const real* __restrict__ target, const int* __restrict__ action,
                                    real* __restrict__ loss, real* __restrict__ grad_z, int samples, int targets,
                                    int mixed, real kappa, real scale, int batch) {
  FH_SHARED(real, scratch);
  const int values = mixed ? ACTIONS * targets : targets;
  for (int s = blockIdx.x; s < batch; s += gridDim.x) {
    const long long row = static_cast<long long>(s) * samples;
    const real* mine = target + static_cast<long long>(s) * values * (mixed ? 2 : 1);
    const real total = quantile_regression(
        z + row * ACTIONS, [&](int i) { return tau[row + i]; }, mine, mixed ? mine + values : nullptr, samples, values,
        ACTIONS, action[s], kappa, scale, grad_z + row * ACTIONS, scratch);
    if (threadIdx.x == 0) loss[s] = total;
  }
}
