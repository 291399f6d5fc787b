// Quantile regression of return distributions (Dabney et al. 2018a: QR-DQN; 2018b: IQN).
// A head's quantiles are rows [samples, ACTIONS], one row for each fraction tau.
#pragma once
#include "common/lanes.cuh"
#include "common/math.cuh"
#include "common/platform.cuh"
#include "common/reduce.cuh"
#include "common/select.cuh"

// rho(u) = |tau - 1{u < 0}| L(u) / kappa with Huber's L (2018a, eq. 9 and 10; the division as in 2018b, eq. 3), tau in
// [0, 1]. With c = min(|u|, kappa) that is |tau - 1{u < 0}| (c / kappa) (|u| - c / 2), and for kappa = 0 the pinball loss.
static __device__ inline real quantile_huber(real u, real tau, real kappa) {
  const real size = fh_abs(u), c = fh_min(size, kappa);
  const real share = kappa > real(0) ? c / kappa : real(1);
  return (u < real(0) ? real(1) - tau : tau) * share * (size - real(0.5) * c);
}

// d rho / du; 0 at the pinball's kink.
static __device__ inline real quantile_huber_slope(real u, real tau, real kappa) {
  const real share = kappa > real(0) ? fh_min(fh_abs(u), kappa) / kappa : real(1);
  return u < real(0) ? (tau - real(1)) * share : u > real(0) ? tau * share : share * u;
}

// The loss of one sample, by one block: summed over its online quantiles z_i with fractions tau(i), averaged over the
// targets t_j: sum_i sum_j w_j rho(t_j - z_i), w_j the weights, or 1 / targets where they are null.
// z and grad_z point to the sample's [quantiles, actions]; the gradient is times `scale`, 0 for actions not taken.
// Every thread gets the loss. `scratch`: as for block_sum.
template <class Tau>
static __device__ inline real quantile_regression(const real* z, Tau tau, const real* target, const real* weight,
                                                  int quantiles, int targets, int actions, int taken, real kappa,
                                                  real scale, real* grad_z, real* scratch) {
  const real equal = real(1) / real(targets);
  return block_sum_over(
      quantiles,
      [&](int i) {
        const real at = z[i * actions + taken], fraction = tau(i);
        real loss, slope;
        if (weight) {
          loss = lane_sum(targets, [&](int j) { return weight[j] * quantile_huber(target[j] - at, fraction, kappa); });
          slope =
              lane_sum(targets, [&](int j) { return weight[j] * quantile_huber_slope(target[j] - at, fraction, kappa); });
        } else {
          loss = equal * lane_sum(targets, [&](int j) { return quantile_huber(target[j] - at, fraction, kappa); });
          slope = equal * lane_sum(targets, [&](int j) { return quantile_huber_slope(target[j] - at, fraction, kappa); });
        }
        for (int a = 0; a < actions; ++a) grad_z[i * actions + a] = a == taken ? -slope * scale : real(0);
        return loss;
      },
      scratch);
}

// The target of one sample, by one block: reward + discount * z of the next state's quantiles `next` [targets, actions].
// `choosing` [draws, actions]: quantiles whose means choose the action. With mixed != 0 all actions count: values
// [actions, targets], followed by their weights, the Boltzmann probability of the action / targets, of the same shape;
// else values [targets] of the best action alone. `shared`: 2 * actions; it may be used for another sample at once.
static __device__ inline void quantile_target(const real* next, const real* choosing, int targets, int draws,
                                              int actions, int mixed, real temperature, real reward, real discount,
                                              real* target, real* shared) {
  real* q = shared;
  real* weight = q + actions;
  for (int a = threadIdx.x; a < actions; a += blockDim.x) q[a] = real(0);
  // A thread only touches its own actions: no barrier between the summands.
  for (int k = 0; k < draws; ++k)
    for (int a = threadIdx.x; a < actions; a += blockDim.x) q[a] += choosing[k * actions + a];
  __syncthreads();
  if (threadIdx.x == 0) bootstrap_weights(q, weight, actions, mixed, temperature);
  __syncthreads();
  if (mixed) {
    for (int i = threadIdx.x; i < actions * targets; i += blockDim.x) {
      const int a = i / targets, j = i % targets;
      target[i] = reward + discount * next[j * actions + a];
      target[actions * targets + i] = weight[a] / real(targets);
    }
  } else {
    const int best = argmax_row(weight, actions);
    for (int j = threadIdx.x; j < targets; j += blockDim.x) target[j] = reward + discount * next[j * actions + best];
  }
}

// Mean and variance of the values z[0], z[stride], …, as of equally likely ones.
static __device__ inline void quantile_moments(const real* z, int count, int stride, real* mean, real* variance) {
  real sum = real(0), squares = real(0);
  for (int k = 0; k < count; ++k) sum += z[k * stride];
  const real average = sum / real(count);
  for (int k = 0; k < count; ++k) squares += (z[k * stride] - average) * (z[k * stride] - average);
  *mean = average;
  *variance = squares / real(count);
}
