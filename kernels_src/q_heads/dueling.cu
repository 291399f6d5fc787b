// Dueling streams (Wang et al. 2016, eq. 9): Q_a = V + A_a - mean_b A_b. Both streams are linear in the same features, so
// that combining their weights combines them: x W_v + x W_a - mean_b x W_b = x (W_v + W_a - mean_b W_b).
// Rows of the streams: V [width], A [ACTIONS, width]; a row is an input of the layer, or its bias. Constant ACTIONS.
#include "common/lanes.cuh"
#include "common/platform.cuh"

// composed [rows, ACTIONS, width].
extern "C" __global__ void dueling_compose(const real* __restrict__ v, const real* __restrict__ a,
                                           real* __restrict__ composed, int rows, int width) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(rows) * width) {
    const long long at = i / width * (ACTIONS * width) + i % width;
    real sum = real(0);
    for (int n = 0; n < ACTIONS; ++n) sum += a[at + n * width];
    const real base = v[i] - sum / real(ACTIONS);
    for (int n = 0; n < ACTIONS; ++n) composed[at + n * width] = base + a[at + n * width];
  }
}

// The gradients of both streams from that of what they compose: of V the sum over the actions, of A what is left when
// their mean is taken out.
extern "C" __global__ void dueling_split(const real* __restrict__ composed, real* __restrict__ v, real* __restrict__ a,
                                         int rows, int width) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(rows) * width) {
    const long long at = i / width * (ACTIONS * width) + i % width;
    real sum = real(0);
    for (int n = 0; n < ACTIONS; ++n) sum += composed[at + n * width];
    v[i] = sum;
    for (int n = 0; n < ACTIONS; ++n) a[at + n * width] = composed[at + n * width] - sum / real(ACTIONS);
  }
}

// x[b, :] += value[b].
extern "C" __global__ void dueling_add_value(const real* __restrict__ value, real* __restrict__ x, int batch, int columns) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(batch) * columns) x[i] += value[i / columns];
}

// The gradient of that value: the sum of the row.
extern "C" __global__ void dueling_value_gradient(const real* __restrict__ grad, real* __restrict__ grad_value, int batch,
                                                  int columns) {
  FH_FOR_ELEMENTS(b, batch) {
    const real* row = grad + b * columns;
    grad_value[b] = lane_sum(columns, [&](int i) { return row[i]; });
  }
}

// V[b] = mean_a Q[b, a] and A = Q - V, the streams as Q shows them.
extern "C" __global__ void dueling_parts(const real* __restrict__ q, real* __restrict__ value, real* __restrict__ advantage,
                                         int batch) {
  FH_FOR_ELEMENTS(b, batch) {
    real sum = real(0);
    for (int n = 0; n < ACTIONS; ++n) sum += q[b * ACTIONS + n];
    value[b] = sum / real(ACTIONS);
    for (int n = 0; n < ACTIONS; ++n) advantage[b * ACTIONS + n] = q[b * ACTIONS + n] - sum / real(ACTIONS);
  }
}
