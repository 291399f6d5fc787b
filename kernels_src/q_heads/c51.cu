// Categorical DQN (Bellemare, Dabney & Munos 2017). Atoms z_i = v_min + i * delta. Constants ACTIONS, ATOMS.
#include "common/lanes.cuh"
#include "common/math.cuh"
#include "common/platform.cuh"
#include "common/reduce.cuh"
#include "common/select.cuh"

// The atoms' values, for whoever reads log_probs.
extern "C" __global__ void c51_support(real* __restrict__ support, real v_min, real delta) {
  FH_FOR_ELEMENTS(i, ATOMS) support[i] = v_min + delta * real(i);
}

// Logits of `rows` distributions become their log-probabilities; mean and variance of each.
extern "C" __global__ void c51_distributions(real* __restrict__ log_probs, real* __restrict__ mean,
                                             real* __restrict__ variance, real v_min, real delta, int rows) {
  FH_FOR_ELEMENTS(row, rows) {
    real* l = log_probs + static_cast<long long>(row) * ATOMS;
    real highest = l[0];
    for (int i = 1; i < ATOMS; ++i) highest = fh_max(highest, l[i]);
    real p[ATOMS];
    real sum = real(0), first = real(0);
    for (int i = 0; i < ATOMS; ++i) p[i] = fh_exp(l[i] - highest);
    for (int i = 0; i < ATOMS; ++i) {
      sum += p[i];
      first += p[i] * real(i);
    }
    // Moments in units of atoms, the second one about the mean: no cancellation.
    const real centre = first / sum;
    real second = real(0);
    for (int i = 0; i < ATOMS; ++i) second += p[i] * (real(i) - centre) * (real(i) - centre);
    const real log_sum = highest + fh_log(sum);
    for (int i = 0; i < ATOMS; ++i) l[i] -= log_sum;
    mean[row] = v_min + delta * centre;
    variance[row] = delta * delta * (second / sum);
  }
}

// Probabilities of one row of logits into p, their mean in units of atoms as the result.
static __device__ inline real c51_softmax(const real* logits, real* p) {
  real highest = logits[0];
  for (int i = 1; i < ATOMS; ++i) highest = fh_max(highest, logits[i]);
  real sum = real(0), first = real(0);
  for (int i = 0; i < ATOMS; ++i) p[i] = fh_exp(logits[i] - highest);
  for (int i = 0; i < ATOMS; ++i) {
    sum += p[i];
    first += p[i] * real(i);
  }
  const real scale = real(1) / sum;
  for (int i = 0; i < ATOMS; ++i) p[i] *= scale;
  return first * scale;
}

// The distribution of reward + discount * Z(h_next, a*), projected on the atoms (algorithm 1 of the paper).
// One block a sample. next_logits are the target net's; with select_online != 0 online_logits choose a* (van
// Hasselt, Guez & Silver 2016), else the target net does.
//
// The value of atom i lies at b = reward / delta - (1 - discount) * v_min / delta + discount * i in units of
// atoms: for discount 1 and a reward of whole atoms that is exact. The share of its mass that atom j gets,
// max(0, 1 - |b - j|), is (1 - f) for j = floor(b), f for the next one and nothing elsewhere, so a value on
// an atom keeps all its mass. low = v_min / delta.
extern "C" __global__ void c51_target(const real* __restrict__ next_logits,
                                      const real* __restrict__ online_logits, const real* __restrict__ reward,
                                      const real* __restrict__ discount, real* __restrict__ target, real low,
                                      real delta, int select_online, int boltzmann, real temperature,
                                      int batch) {
  FH_SHARED(real, shared);
  real* p = shared;                  // [ACTIONS * ATOMS]
  real* q = p + ACTIONS * ATOMS;     // [ACTIONS]
  real* weight = q + ACTIONS;        // [ACTIONS]
  real* mixture = weight + ACTIONS;  // [ATOMS]
  real* position = mixture + ATOMS;  // [ATOMS]
  real* mass = position + ATOMS;     // [ATOMS]
  for (int sample = blockIdx.x; sample < batch; sample += gridDim.x) {
    const long long at = static_cast<long long>(sample) * (ACTIONS * ATOMS);
    if (select_online) {
      for (int a = threadIdx.x; a < ACTIONS; a += blockDim.x)
        q[a] = c51_softmax(online_logits + at + a * ATOMS, p + a * ATOMS);
      for (int a = threadIdx.x; a < ACTIONS; a += blockDim.x)
        c51_softmax(next_logits + at + a * ATOMS, p + a * ATOMS);
    } else {
      for (int a = threadIdx.x; a < ACTIONS; a += blockDim.x)
        q[a] = c51_softmax(next_logits + at + a * ATOMS, p + a * ATOMS);
    }
    __syncthreads();
    if (threadIdx.x == 0) bootstrap_weights(q, weight, ACTIONS, boltzmann, temperature);
    __syncthreads();

    const real gamma = discount[sample];
    const real shift = reward[sample] / delta - (real(1) - gamma) * low;
    for (int i = threadIdx.x; i < ATOMS; i += blockDim.x) {
      real sum = real(0);
      for (int a = 0; a < ACTIONS; ++a) sum += weight[a] * p[a * ATOMS + i];
      mixture[i] = sum;
      mass[i] = real(0);
      real b = shift + gamma * real(i);
      // Written so that NaN stays NaN: a bad reward shows in the loss.
      b = b < real(0) ? real(0) : b;
      b = b > real(ATOMS - 1) ? real(ATOMS - 1) : b;
      position[i] = b;
    }
    __syncthreads();
    // A thread only touches its own atoms of `mass`: no barrier between the summands.
    for (int i = 0; i < ATOMS; ++i) {
      const real b = position[i], m = mixture[i];
      for (int j = threadIdx.x; j < ATOMS; j += blockDim.x) {
        const real share = real(1) - fh_abs(b - real(j));
        mass[j] += m * (share < real(0) ? real(0) : share);
      }
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

// Cross-entropy of the taken action's distribution against the target, through log-softmax, and its gradient
// with respect to all logits, times `scale`: p - target for the taken action, 0 for the others. One block a
// sample.
extern "C" __global__ void c51_loss(const real* __restrict__ logits, const real* __restrict__ target,
                                    const int* __restrict__ action, real* __restrict__ loss,
                                    real* __restrict__ grad_logits, real scale, int batch) {
  FH_SHARED(real, p);  // [ATOMS], then the reduction's scratch
  real* scratch = p + (ATOMS + 3) / 4 * 4;
  for (int sample = blockIdx.x; sample < batch; sample += gridDim.x) {
    const long long at = static_cast<long long>(sample) * (ACTIONS * ATOMS);
    const int taken = action[sample];
    const real* l = logits + at + taken * ATOMS;
    const real* m = target + static_cast<long long>(sample) * ATOMS;
    real v = l[0];
    for (int i = threadIdx.x; i < ATOMS; i += blockDim.x) v = fh_max(v, l[i]);
    const real highest = block_max(v, scratch);
    v = real(0);
    for (int i = threadIdx.x; i < ATOMS; i += blockDim.x) {
      p[i] = fh_exp(l[i] - highest);
      v += p[i];
    }
    const real sum = block_sum(v, scratch);
    const real log_sum = highest + fh_log(sum);
    v = real(0);
    for (int i = threadIdx.x; i < ATOMS; i += blockDim.x) v += m[i] * (log_sum - l[i]);
    const real total = block_sum(v, scratch);
    if (threadIdx.x == 0) loss[sample] = total;
    for (int i = threadIdx.x; i < ACTIONS * ATOMS; i += blockDim.x) grad_logits[at + i] = real(0);
    // Entry i of the row is written by the thread that made p[i]; the zero above by another: barrier.
    __syncthreads();
    for (int i = threadIdx.x; i < ATOMS; i += blockDim.x)
      grad_logits[at + taken * ATOMS + i] = (p[i] / sum - m[i]) * scale;
    __syncthreads();
  }
}
