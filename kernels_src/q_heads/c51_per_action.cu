// Categorical DQN whose actions have atoms of their own: z_{a,i} = low_a + i delta_a. Constants ACTIONS, ATOMS.
#include "common/lanes.cuh"
#include "common/math.cuh"
#include "common/platform.cuh"
#include "common/reduce.cuh"
#include "common/select.cuh"

// Probabilities of one row of logits into p, its log-sum as the result; *centre is their mean in units of atoms.
static __device__ inline real categorical_row(const real* logits, real* p, real* centre) {
  real highest = logits[0];
  for (int i = 1; i < ATOMS; ++i) highest = fh_max(highest, logits[i]);
  real sum = real(0), first = real(0);
  for (int i = 0; i < ATOMS; ++i) {
    p[i] = fh_exp(logits[i] - highest);
    sum += p[i];
    first += p[i] * real(i);
  }
  for (int i = 0; i < ATOMS; ++i) p[i] /= sum;
  *centre = first / sum;
  return highest + fh_log(sum);
}

// Logits [rows, ATOMS] become log-probabilities; row r is one of action r mod ACTIONS.
extern "C" __global__ void c51_action_distributions(real* __restrict__ log_probs, const real* __restrict__ low,
                                                    const real* __restrict__ delta, real* __restrict__ mean,
                                                    real* __restrict__ variance, int rows) {
  FH_FOR_ELEMENTS(row, rows) {
    real* l = log_probs + row * ATOMS;
    const int a = static_cast<int>(row % ACTIONS);
    real p[ATOMS], centre;
    const real log_sum = categorical_row(l, p, &centre);
    real second = real(0);
    for (int i = 0; i < ATOMS; ++i) {
      second += p[i] * (real(i) - centre) * (real(i) - centre);
      l[i] -= log_sum;
    }
    mean[row] = low[a] + delta[a] * centre;
    variance[row] = delta[a] * delta[a] * second;
  }
}

// One block a sample: the atoms of the next state's best action (of all, mixed by their weights, with boltzmann != 0) are
// moved to reward + discount * z and their mass is shared out between the atoms of the action *taken*. moments [batch, 2]:
// mean and mean square of what was moved, before the support cut it.
extern "C" __global__ void c51_action_target(const real* __restrict__ next_logits, const real* __restrict__ choosing_logits,
                                             const real* __restrict__ reward, const real* __restrict__ discount,
                                             const int* __restrict__ action, const real* __restrict__ low,
                                             const real* __restrict__ delta, real* __restrict__ target,
                                             real* __restrict__ moments, int boltzmann, real temperature, int batch) {
  FH_SHARED(real, shared);
  real* p = shared;                          // [ACTIONS, ATOMS]
  real* q = p + ACTIONS * ATOMS;             // [ACTIONS]
  real* weight = q + ACTIONS;                // [ACTIONS]
  real* mass = weight + ACTIONS;             // [ATOMS]
  for (int sample = blockIdx.x; sample < batch; sample += gridDim.x) {
    const long long at = static_cast<long long>(sample) * (ACTIONS * ATOMS);
    for (int a = threadIdx.x; a < ACTIONS; a += blockDim.x) {
      real centre;
      categorical_row(choosing_logits + at + a * ATOMS, p + a * ATOMS, &centre);
      q[a] = low[a] + delta[a] * centre;
      categorical_row(next_logits + at + a * ATOMS, p + a * ATOMS, &centre);
    }
    __syncthreads();
    if (threadIdx.x == 0) bootstrap_weights(q, weight, ACTIONS, boltzmann, temperature);
    __syncthreads();
    const int taken = action[sample];
    const real r = reward[sample], gamma = discount[sample], base = low[taken], step = delta[taken];
    // A thread only touches its own atoms of `mass`: no barrier between the summands.
    for (int j = threadIdx.x; j < ATOMS; j += blockDim.x) mass[j] = real(0);
    for (int a = 0; a < ACTIONS; ++a) {
      if (weight[a] == real(0)) continue;
      for (int i = 0; i < ATOMS; ++i) {
        real b = (r + gamma * (low[a] + delta[a] * real(i)) - base) / step;
        // Written so that NaN stays NaN: a bad reward shows in the loss.
        b = b < real(0) ? real(0) : b;
        b = b > real(ATOMS - 1) ? real(ATOMS - 1) : b;
        const real m = weight[a] * p[a * ATOMS + i];
        for (int j = threadIdx.x; j < ATOMS; j += blockDim.x) {
          const real share = real(1) - fh_abs(b - real(j));
          mass[j] += m * (share < real(0) ? real(0) : share);
        }
      }
    }
    if (threadIdx.x == 0) {
      real first = real(0), second = real(0);
      for (int a = 0; a < ACTIONS; ++a)
        for (int i = 0; i < ATOMS; ++i) {
          const real y = r + gamma * (low[a] + delta[a] * real(i)), m = weight[a] * p[a * ATOMS + i];
          first += m * y;
          second += m * y * y;
        }
      moments[2 * sample] = first;
      moments[2 * sample + 1] = second;
    }
    __syncthreads();
    // What rounding took from the sum of 1 is given back.
    for (int j = threadIdx.x; j < ATOMS; j += blockDim.x) {
      const real total = lane_sum(ATOMS, [&](int i) { return mass[i]; });
      target[static_cast<long long>(sample) * ATOMS + j] = mass[j] / total;
    }
    __syncthreads();
  }
}

// Block a: running mean and mean square of the returns of action a, and from them its support, mean ± width deviations,
// inside [v_min, v_max] and at least `narrowest` wide. An action that the batch lacks keeps what it has.
extern "C" __global__ void c51_action_support(const real* __restrict__ moments, const int* __restrict__ action,
                                              real* __restrict__ mean, real* __restrict__ square, real* __restrict__ low,
                                              real* __restrict__ delta, real rate, real width, real v_min, real v_max,
                                              real narrowest, int batch) {
  FH_SHARED(real, scratch);
  for (int a = blockIdx.x; a < ACTIONS; a += gridDim.x) {
    const real count = block_sum_over(batch, [&](int s) { return action[s] == a ? real(1) : real(0); }, scratch);
    const real first = block_sum_over(batch, [&](int s) { return action[s] == a ? moments[2 * s] : real(0); }, scratch);
    const real second = block_sum_over(batch, [&](int s) { return action[s] == a ? moments[2 * s + 1] : real(0); }, scratch);
    if (threadIdx.x == 0 && count > real(0)) {
      mean[a] += rate * (first / count - mean[a]);
      square[a] += rate * (second / count - square[a]);
      const real spread = fh_max(square[a] - mean[a] * mean[a], real(0));
      const real half = fh_max(width * fh_sqrt(spread), real(0.5) * narrowest);
      const real centre = fh_min(fh_max(mean[a], v_min + real(0.5) * narrowest), v_max - real(0.5) * narrowest);
      low[a] = fh_max(centre - half, v_min);
      delta[a] = (fh_min(centre + half, v_max) - low[a]) / real(ATOMS - 1);
    }
  }
}
