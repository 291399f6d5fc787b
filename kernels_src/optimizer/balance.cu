// Weights that keep the gradient norm of one loss in a set ratio to the policy's, where both reach shared parameters.
// state = {weight, mean norm of the policy's gradient, its count, mean norm of this loss's, its count}.
#include "common/math.cuh"
#include "common/platform.cuh"
#include "common/reduce.cuh"

// Block b sums the squares of its part of n values, in double.
extern "C" __global__ void partial_squares(const real* __restrict__ values, double* __restrict__ out, int n, int parts) {
  FH_SHARED(double, scratch);
  const long long each = (static_cast<long long>(n) + parts - 1) / parts, first = blockIdx.x * each;
  const long long left = n - first, count = left < each ? left : each;
  const double sum = block_sum_over(
      static_cast<int>(count > 0 ? count : 0),
      [&](int i) {
        const double v = static_cast<double>(values[first + i]);
        return v * v;
      },
      scratch);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// A new norm = sqrt(sum of squares x sum of factors), where there are factors. The averages are means of all norms at
// first, later exponential with this rate. For the loss (of_policy = 0) its weight follows; `weighted`: the norm was taken
// with the weight in it. A norm that is not finite is passed over.
extern "C" __global__ void balance_observe(const double* __restrict__ squares, const double* __restrict__ factors,
                                           double* __restrict__ state, double ratio, double limit, double rate, int n,
                                           int factor_count, int of_policy, int weighted) {
  FH_FOR_ELEMENTS(one, 1) {
    double total = 0.0, factor = factor_count > 0 ? 0.0 : 1.0;
    for (int i = 0; i < n; ++i) total += squares[i];
    for (int i = 0; i < factor_count; ++i) factor += factors[i];
    double norm = fh_sqrt(total * factor);
    if (weighted) norm /= state[0];
    const int at = of_policy ? 1 : 3;
    if (norm < 1e300) {
      state[at + 1] += 1.0;
      const double first = 1.0 / state[at + 1];
      state[at] += (first > rate ? first : rate) * (norm - state[at]);
    }
    if (!of_policy && state[2] > 0.0 && state[3] > 0.0) {
      const double wanted = ratio * state[1] / state[3];
      state[0] = wanted > limit ? limit : wanted < 1.0 / limit ? 1.0 / limit : wanted;
    }
  }
}

// values <- weight x values.
extern "C" __global__ void balance_scale(const double* __restrict__ state, real* __restrict__ values, int n) {
  const real weight = real(state[0]);
  FH_FOR_ELEMENTS(i, n) values[i] *= weight;
}
