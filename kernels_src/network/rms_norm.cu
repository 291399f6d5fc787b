// RMSNorm (Zhang & Sennrich 2019, eq. 4): y = x / sqrt(mean(x^2) + 1e-5) * gain. One block a row. Constant WIDTH.
#include "common/math.cuh"
#include "common/platform.cuh"
#include "common/reduce.cuh"

static __device__ inline real inverse_rms(const real* x, real* scratch) {
  const real squares = block_sum_over(WIDTH, [&](int i) { return x[i] * x[i]; }, scratch);
  return real(1) / fh_sqrt(squares / real(WIDTH) + real(1e-5));
}

extern "C" __global__ void rms_norm_forward(const real* __restrict__ x, const real* __restrict__ gain,
                                            real* __restrict__ y) {
  FH_SHARED(real, scratch);
  const long long row = static_cast<long long>(blockIdx.x) * WIDTH;
  const real inverse = inverse_rms(x + row, scratch);
  for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) y[row + i] = x[row + i] * inverse * gain[i];
}

// dx from dy, and dy * x / rms, whose column sums are the gain's gradient.
extern "C" __global__ void rms_norm_backward(const real* __restrict__ x, const real* __restrict__ gain,
                                             const real* __restrict__ dy, real* __restrict__ dx,
                                             real* __restrict__ gain_terms) {
  FH_SHARED(real, scratch);
  const long long row = static_cast<long long>(blockIdx.x) * WIDTH;
  const real* xr = x + row;
  const real* dyr = dy + row;
  const real inverse = inverse_rms(xr, scratch);
  const real dot = block_sum_over(WIDTH, [&](int i) { return dyr[i] * gain[i] * xr[i]; }, scratch);
  const real projection = dot * inverse * inverse / real(WIDTH);
  for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) {
    gain_terms[row + i] = dyr[i] * xr[i] * inverse;
    dx[row + i] = inverse * (dyr[i] * gain[i] - xr[i] * projection);
  }
}
