// Adam (Kingma & Ba 2015, algorithm 1), epsilon outside the square root, with the scale of a global norm clip.
#include "common/math.cuh"
#include "common/platform.cuh"

// `squares` are those of this group's tensors, `other` those of a group that is clipped together with it.
// scalars = {step size lr / (1 - beta1^t), 1 / (1 - beta2^t), gradient scale, active}. beta_power holds beta^t as
// running products. Nothing moves while fewer than `start` transitions are held (ring[1]).
extern "C" __global__ void adam_begin(const real* __restrict__ learning_rate, const double* __restrict__ squares,
                                      const double* __restrict__ other,
                                      const int* __restrict__ ring, unsigned long long* __restrict__ t,
                                      double* __restrict__ beta_power, real* __restrict__ scalars, double beta1,
                                      double beta2, double clip, int segments, int others, int start) {
  FH_FOR_ELEMENTS(one, 1) {
    const bool active = ring[1] >= start;
    double total = 0.0;
    for (int s = 0; s < segments; ++s) total += squares[s];
    for (int s = 0; s < others; ++s) total += other[s];
    const double norm = fh_sqrt(total);
    if (active) {
      t[one] += 1;
      beta_power[0] *= beta1;
      beta_power[1] *= beta2;
    }
    scalars[0] = real(learning_rate[0] / (1.0 - beta_power[0]));
    scalars[1] = real(1.0 / (1.0 - beta_power[1]));
    scalars[2] = real(clip > 0.0 && norm > clip ? clip / norm : 1.0);
    scalars[3] = active ? real(1) : real(0);
  }
}

extern "C" __global__ void adam_step(const real* __restrict__ gradient, const real* __restrict__ scalars,
                                     real* __restrict__ theta, real* __restrict__ m, real* __restrict__ v, real beta1,
                                     real beta2, real epsilon, int n) {
  const real rate = scalars[0], correction = scalars[1], scale = scalars[2];
  const bool active = scalars[3] != real(0);
  FH_FOR_ELEMENTS(i, n) {
    const real g = gradient[i] * scale;
    const real mean = beta1 * m[i] + (real(1) - beta1) * g;
    const real square = beta2 * v[i] + (real(1) - beta2) * g * g;
    const real moved = theta[i] - rate * mean / (fh_sqrt(square * correction) + epsilon);
    m[i] = active ? mean : m[i];
    v[i] = active ? square : v[i];
    theta[i] = active ? moved : theta[i];
  }
}

// target <- target + tau (online - target) (Lillicrap et al. 2016, section 3): tau 0.1 moves 0 to 0.1 of 1. Only after
// every `every`-th step of Adam: with tau 1 that is the periodic copy of Mnih et al. (2015).
extern "C" __global__ void soft_update(const real* __restrict__ online, const real* __restrict__ scalars,
                                       const unsigned long long* __restrict__ t, real* __restrict__ target, real tau,
                                       int every, int n) {
  const bool due = scalars[3] != real(0) && t[0] % static_cast<unsigned long long>(every) == 0;
  const real rate = due ? tau : real(0);
  // With tau 1 the very numbers, which the sum would round.
  FH_FOR_ELEMENTS(i, n) target[i] = rate == real(1) ? online[i] : target[i] + rate * (online[i] - target[i]);
}
