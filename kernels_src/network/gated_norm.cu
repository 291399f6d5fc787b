// Gated RMSNorm of Mamba-2, the gate before the norm: v = y silu(z), gated = v / sqrt(mean(v^2) + 1e-5) * gain. One
// block a row; z is the first part of `projected` (common/mamba2.cuh). Constants HEADS, HEAD_DIM, STATE.
#include "common/mamba2.cuh"
#include "common/reduce.cuh"

extern "C" __global__ void gated_norm_forward(const real* __restrict__ projected, const real* __restrict__ y,
                                              const real* __restrict__ gain, real* __restrict__ gated) {
  FH_SHARED(real, scratch);
  const real* z = projected + static_cast<long long>(blockIdx.x) * PROJECTED;
  const long long row = static_cast<long long>(blockIdx.x) * CHANNELS;
  const auto v = [&](int i) { return y[row + i] * silu(z[i]); };
  const real squares = block_sum_over(CHANNELS, [&](int i) { return v(i) * v(i); }, scratch);
  const real inverse = real(1) / fh_sqrt(squares / real(CHANNELS) + real(1e-5));
  for (int i = threadIdx.x; i < CHANNELS; i += blockDim.x) gated[row + i] = v(i) * inverse * gain[i];
}

// grad_y, the part of grad_projected that is z's, and terms whose column sums are the gain's gradient.
extern "C" __global__ void gated_norm_backward(const real* __restrict__ projected, const real* __restrict__ y,
                                               const real* __restrict__ gain, const real* __restrict__ grad_gated,
                                               real* __restrict__ grad_projected, real* __restrict__ grad_y,
                                               real* __restrict__ gain_terms) {
  FH_SHARED(real, scratch);
  const real* z = projected + static_cast<long long>(blockIdx.x) * PROJECTED;
  real* grad_z = grad_projected + static_cast<long long>(blockIdx.x) * PROJECTED;
  const long long row = static_cast<long long>(blockIdx.x) * CHANNELS;
  const auto v = [&](int i) { return y[row + i] * silu(z[i]); };
  const real squares = block_sum_over(CHANNELS, [&](int i) { return v(i) * v(i); }, scratch);
  const real dot = block_sum_over(CHANNELS, [&](int i) { return grad_gated[row + i] * gain[i] * v(i); }, scratch);
  const real inverse = real(1) / fh_sqrt(squares / real(CHANNELS) + real(1e-5));
  const real projection = dot * inverse * inverse / real(CHANNELS);
  for (int i = threadIdx.x; i < CHANNELS; i += blockDim.x) {
    const real gate = silu(z[i]);
    const real grad_v = inverse * (grad_gated[row + i] * gain[i] - y[row + i] * gate * projection);
    gain_terms[row + i] = grad_gated[row + i] * y[row + i] * gate * inverse;
    grad_y[row + i] = grad_v * gate;
    grad_z[i] = grad_v * y[row + i] * silu_slope(z[i]);
  }
}
