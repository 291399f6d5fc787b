// Activation functions, element by element. Constant ACTIVATION: 0 identity, 1 ReLU, 2 tanh, 3 SiLU, 4 ELU.
#include "common/math.cuh"
#include "common/platform.cuh"

static __device__ inline real apply(real z) {
#if ACTIVATION == 1
  return z > real(0) || fh_isnan(z) ? z : real(0);
#elif ACTIVATION == 2
  return fh_tanh(z);
#elif ACTIVATION == 3
  return z * fh_sigmoid(z);
#elif ACTIVATION == 4
  const real below = fh_exp(fh_min(z, real(0))) - real(1);
  return z > real(0) || fh_isnan(z) ? z : below;
#else
  return z;
#endif
}

static __device__ inline real slope(real z) {
#if ACTIVATION == 1
  return z > real(0) ? real(1) : real(0);
#elif ACTIVATION == 2
  const real t = fh_tanh(z);
  return real(1) - t * t;
#elif ACTIVATION == 3
  const real s = fh_sigmoid(z);
  return s * (real(1) + z * (real(1) - s));
#elif ACTIVATION == 4
  const real below = fh_exp(fh_min(z, real(0)));
  return z > real(0) ? real(1) : below;
#else
  return real(1);
#endif
}

extern "C" __global__ void activation_forward(const real* __restrict__ z, real* __restrict__ y, int n) {
  FH_FOR_ELEMENTS(i, n) y[i] = apply(z[i]);
}

// dz = dy * f'(z); `dy` and `dz` may be the same tensor.
extern "C" __global__ void activation_backward(const real* __restrict__ z, real* dy, int n) {
  FH_FOR_ELEMENTS(i, n) dy[i] *= slope(z[i]);
}
