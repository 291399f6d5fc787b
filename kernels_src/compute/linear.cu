#include "common/platform.cuh"

// Fills and matrix products of shapes that the backends' libraries leave out.

extern "C" __global__ void fill_words32(unsigned* __restrict__ y, unsigned value, long long n) {
  FH_FOR_ELEMENTS(i, n) { y[i] = value; }
}

extern "C" __global__ void fill_words64(unsigned long long* __restrict__ y, unsigned long long value, long long n) {
  FH_FOR_ELEMENTS(i, n) { y[i] = value; }
}

extern "C" __global__ void gemm_direct(const real* __restrict__ a, const real* __restrict__ b,
                                       const real* __restrict__ bias, real* __restrict__ c, long long m, long long n,
                                       long long k, int transpose_a, int transpose_b, int has_bias, real alpha,
                                       real beta) {
  const long long a_row = transpose_a ? 1 : k, a_column = transpose_a ? m : 1;
  const long long b_row = transpose_b ? 1 : n, b_column = transpose_b ? k : 1;
  FH_FOR_ELEMENTS(e, m * n) {
    const long long i = e / n, j = e % n;
    real sum = real(0);
    for (long long p = 0; p < k; ++p) sum += a[i * a_row + p * a_column] * b[p * b_row + j * b_column];
    real value = alpha * sum;
    // beta = 0 means that C is undefined before: NaN times 0 would stay.
    if (beta != real(0)) value += beta * c[e];
    if (has_bias) value += bias[j];
    c[e] = value;
  }
}
