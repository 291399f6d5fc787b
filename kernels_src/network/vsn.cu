// Variable selection (Lim et al. 2021, section 4.2, with linear embeddings): y = sum_f s_f (x_f u_f + c_f), where
// s = softmax(logits). The sums are matrix products; here is what they need. One block a row. Constant FEATURES.
#include "common/math.cuh"
#include "common/platform.cuh"
#include "common/reduce.cuh"

extern "C" __global__ void vsn_select(const real* __restrict__ logits, const real* __restrict__ x,
                                      real* __restrict__ weights, real* __restrict__ weighted) {
  FH_SHARED(real, scratch);
  const long long row = static_cast<long long>(blockIdx.x) * FEATURES;
  real mine = logits[row];
  for (int f = threadIdx.x; f < FEATURES; f += blockDim.x) mine = fh_max(mine, logits[row + f]);
  const real peak = block_max(mine, scratch);
  const real total = block_sum_over(FEATURES, [&](int f) { return fh_exp(logits[row + f] - peak); }, scratch);
  for (int f = threadIdx.x; f < FEATURES; f += blockDim.x) {
    const real s = fh_exp(logits[row + f] - peak) / total;
    weights[row + f] = s;
    weighted[row + f] = s * x[row + f];
  }
}

extern "C" __global__ void vsn_select_backward(const real* __restrict__ weights, const real* __restrict__ x,
                                               const real* __restrict__ grad_weights,
                                               const real* __restrict__ grad_weighted,
                                               real* __restrict__ grad_logits) {
  FH_SHARED(real, scratch);
  const long long row = static_cast<long long>(blockIdx.x) * FEATURES;
  const auto slope = [&](int f) { return grad_weights[row + f] + x[row + f] * grad_weighted[row + f]; };
  const real mean = block_sum_over(FEATURES, [&](int f) { return weights[row + f] * slope(f); }, scratch);
  for (int f = threadIdx.x; f < FEATURES; f += blockDim.x)
    grad_logits[row + f] = weights[row + f] * (slope(f) - mean);
}
