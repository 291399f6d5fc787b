// r' = sign(r) * rank(|r|) * std_ema, rank(x) = #{|r_i| <= x} / n. The magnitudes are sorted once (tiles by a
// bitonic network, then pairs of runs merged), and each rank is one binary search: O(n log^2 n), no atomics,
// ties exact. A NaN among the rewards gets the key -1: it lies before all magnitudes and is ranked by nobody.
#include "common/math.cuh"
#include "common/platform.cuh"
#include "common/reduce.cuh"

constexpr int TILE = 2048;

// First index in the ascending run [0, n) whose element is not below x (or, with `above`, is above x).
static __device__ inline int bound(const real* run, int n, real x, bool above) {
  int first = 0;
  while (n > 0) {
    const int half = n / 2;
    const real v = run[first + half];
    const bool right = above ? v <= x : v < x;
    first = right ? first + half + 1 : first;
    n = right ? n - half - 1 : half;
  }
  return first;
}

// Block t sorts the magnitudes of rewards [t*TILE, …) into `sorted` and leaves {count, mean, sum of squared
// deviations} of its finite rewards in moments[t].
extern "C" __global__ void rank_tiles(const real* __restrict__ reward, real* __restrict__ sorted,
                                      real* __restrict__ moments, int n) {
  FH_SHARED(real, key);  // [TILE], then the reduction's scratch
  real* scratch = key + TILE;
  const int first = static_cast<int>(blockIdx.x) * TILE;
  const int count = n - first < TILE ? n - first : TILE;

  const real* mine = reward + first;
  const auto finite = [&](int i) { return mine[i] - mine[i] == real(0); };
  const real total = block_sum_over(count, [&](int i) { return finite(i) ? real(1) : real(0); }, scratch);
  const real sum = block_sum_over(count, [&](int i) { return finite(i) ? mine[i] : real(0); }, scratch);
  const real mean = sum / (total > real(0) ? total : real(1));
  const real deviations = block_sum_over(
      count, [&](int i) { return finite(i) ? (mine[i] - mean) * (mine[i] - mean) : real(0); }, scratch);
  if (threadIdx.x == 0) {
    moments[3 * static_cast<int>(blockIdx.x)] = total;
    moments[3 * static_cast<int>(blockIdx.x) + 1] = mean;
    moments[3 * static_cast<int>(blockIdx.x) + 2] = deviations;
  }

  real v = real(-1);
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    key[i] = mine[i] == mine[i] ? fh_abs(mine[i]) : real(-1);
    v = fh_max(v, key[i]);
  }
  // Padded to a power of two with the greatest key: the padding stays at the end, or its equals do.
  const real greatest = block_max(v, scratch);
  int width = 1;
  while (width < count) width *= 2;
  for (int i = count + static_cast<int>(threadIdx.x); i < width; i += blockDim.x) key[i] = greatest;
  for (int size = 2; size <= width; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      for (int pair = threadIdx.x; pair < width / 2; pair += blockDim.x) {
        const int low = 2 * pair - (pair & (stride - 1));
        const real a = key[low], b = key[low + stride];
        const bool swap = (a > b) == ((low & size) == 0);
        key[low] = swap ? b : a;
        key[low + stride] = swap ? a : b;
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) sorted[first + i] = key[i];
}

// Merges pairs of neighbouring ascending runs of length `run`: an element's place is its place in its own run
// plus the number of the other run's elements that go before it (of equals, those of the left run).
extern "C" __global__ void rank_merge(const real* __restrict__ from, real* __restrict__ to, int run, int n) {
  FH_FOR_ELEMENTS(i, n) {
    const int at = static_cast<int>(i) / run * run;
    const bool left = (at / run) % 2 == 0;
    const int other = left ? at + run : at - run;
    const int length = other < n ? (n - other < run ? n - other : run) : 0;
    const real x = from[i];
    const int before = length > 0 ? bound(from + other, length, x, !left) : 0;
    to[(left ? at : other) + (static_cast<int>(i) - at) + before] = x;
  }
}

// std_ema <- std_ema + a (std - std_ema) with a = max(1 / (1 + count), floor): the plain average of all
// batches until the floor holds. The population's standard deviation over all tiles' finite rewards (Chan,
// Golub & LeVeque 1979). A batch of fewer than two finite rewards has none and changes nothing.
extern "C" __global__ void rank_update_ema(const real* __restrict__ moments, real* __restrict__ std_ema,
                                           unsigned* __restrict__ count, real floor_rate, int tiles) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    real total = real(0), sum = real(0), squares = real(0);
    for (int t = 0; t < tiles; ++t) {
      total += moments[3 * t];
      sum += moments[3 * t] * moments[3 * t + 1];
    }
    const real mean = sum / (total > real(0) ? total : real(1));
    for (int t = 0; t < tiles; ++t) {
      const real shift = moments[3 * t + 1] - mean;
      squares += moments[3 * t + 2] + moments[3 * t] * shift * shift;
    }
    if (total >= real(2)) {
      const real deviation = fh_sqrt(squares / total);
      const real average = real(1) / (real(1) + real(count[0]));
      const real rate = average > floor_rate ? average : floor_rate;
      std_ema[0] += rate * (deviation - std_ema[0]);
      count[0] += count[0] < 0xffffffffu ? 1u : 0u;
    }
  }
}

// nonzero != 0: zeros are not counted, so rank(x) = #{0 < |r_i| <= x} / #{|r_i| > 0}.
extern "C" __global__ void rank_apply(const real* __restrict__ reward, const real* __restrict__ sorted,
                                      const real* __restrict__ std_ema, real* __restrict__ shaped,
                                      int nonzero, int n) {
  const int skipped = bound(sorted, n, real(0), nonzero != 0);
  const real ranked = real(n - skipped);
  FH_FOR_ELEMENTS(i, n) {
    const real r = reward[i];
    const real rank = real(bound(sorted, n, fh_abs(r), true) - skipped) / ranked;
    const real magnitude = rank * std_ema[0];
    // Zero stays zero; NaN fails both comparisons and stays NaN.
    shaped[i] = r > real(0) ? magnitude : (r < real(0) ? -magnitude : (r == r ? real(0) : r));
  }
}
