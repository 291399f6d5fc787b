// What the shared device headers do, one kernel a topic.
#include "common/distribution.cuh"
#include "common/lanes.cuh"
#include "common/math.cuh"
#include "common/philox.cuh"
#include "common/platform.cuh"
#include "common/reduce.cuh"

// Scratch is the caller's own right before and right after a block-wide operation: all threads write it, and each
// reads another's.
template <class T>
static __device__ inline void write_scratch(T* scratch, T value) {
  for (int i = threadIdx.x; i < static_cast<int>(blockDim.x); i += blockDim.x) scratch[i] = value;
}
template <class T>
static __device__ inline T read_scratch(const T* scratch) {
  T found = T(0);
  for (int i = threadIdx.x; i < static_cast<int>(blockDim.x); i += blockDim.x)
    found = scratch[static_cast<int>(blockDim.x) - 1 - i];
  return found;
}

// Block b reduces row b; every thread writes the results that it got.
extern "C" __global__ void probe_reduce(const real* __restrict__ x, real* __restrict__ sum,
                                        real* __restrict__ plain_sum, real* __restrict__ highest, int n) {
  FH_SHARED(real, scratch);
  const long long row = static_cast<long long>(blockIdx.x) * n;
  const real total = block_sum_over(n, [&](int i) { return x[row + i]; }, scratch);
  real mine = real(0), best = x[row];
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    mine += x[row + i];
    best = fh_max(best, x[row + i]);
  }
  const real plain = block_sum(mine, scratch);
  write_scratch(scratch, x[row]);
  __syncthreads();
  best = fh_max(best, read_scratch(scratch));
  const real top = block_max(best, scratch);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    sum[row + i] = total;
    plain_sum[row + i] = plain;
    highest[row + i] = top;
  }
}

// before[i] = x[0] + … + x[i - 1], row by row of block b; a tile of one block's threads at a time.
extern "C" __global__ void probe_scan(const int* __restrict__ x, int* __restrict__ before, int* __restrict__ total,
                                      int n) {
  FH_SHARED(int, scratch);
  const long long row = static_cast<long long>(blockIdx.x) * n;
  int base = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + static_cast<int>(threadIdx.x);
    int sum = 0;
    write_scratch(scratch, base);
    __syncthreads();
    const int start = read_scratch(scratch);
    const int rank = block_exclusive_scan(i < n ? x[row + i] : 0, &sum, scratch);
    if (i < n) before[row + i] = start + rank;
    base += sum;
  }
  if (threadIdx.x == 0) total[blockIdx.x] = base;
}

// Element r is row r, held by one thread.
extern "C" __global__ void probe_rows(const real* __restrict__ x, real* __restrict__ sum, real* __restrict__ highest,
                                      int* __restrict__ best, real* __restrict__ log_softmax, int width, int rows) {
  FH_FOR_ELEMENTS(r, rows) {
    const real* row = x + r * width;
    sum[r] = lane_sum(width, [&](int i) { return row[i]; });
    highest[r] = lane_max(width, [&](int i) { return row[i]; });
    best[r] = argmax_row(row, width);
    log_softmax_row(row, log_softmax + r * width, width);
  }
}

extern "C" __global__ void probe_math(const real* __restrict__ x, real* __restrict__ exp, real* __restrict__ log,
                                      real* __restrict__ log1p, real* __restrict__ tanh, real* __restrict__ sigmoid,
                                      real* __restrict__ softplus, int n) {
  FH_FOR_ELEMENTS(i, n) {
    exp[i] = fh_exp(x[i]);
    log[i] = fh_log(x[i]);
    log1p[i] = fh_log1p(x[i]);
    tanh[i] = fh_tanh(x[i]);
    sigmoid[i] = fh_sigmoid(x[i]);
    softplus[i] = fh_softplus(x[i]);
  }
}

extern "C" __global__ void probe_min_max(const real* __restrict__ a, const real* __restrict__ b,
                                         real* __restrict__ lower, real* __restrict__ higher, int n) {
  FH_FOR_ELEMENTS(i, n) {
    lower[i] = fh_min(a[i], b[i]);
    higher[i] = fh_max(a[i], b[i]);
  }
}

// Four words of counter and result for each i.
extern "C" __global__ void probe_philox(const unsigned* __restrict__ counter, unsigned* __restrict__ words,
                                        real* __restrict__ uniform, real* __restrict__ gumbel, unsigned key0,
                                        unsigned key1, int n) {
  FH_FOR_ELEMENTS(i, n) {
    const fh_random4 r = fh_philox(key0, key1, counter[4 * i], counter[4 * i + 1], counter[4 * i + 2],
                                   counter[4 * i + 3]);
    words[4 * i] = r.x;
    words[4 * i + 1] = r.y;
    words[4 * i + 2] = r.z;
    words[4 * i + 3] = r.w;
    uniform[i] = fh_uniform(r.x);
    gumbel[i] = fh_gumbel(r.x);
  }
}
