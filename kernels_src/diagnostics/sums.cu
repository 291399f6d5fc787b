// Sums behind the metrics. They are taken in double and in a fixed order; the program turns them into metrics.
#include "common/platform.cuh"
#include "common/reduce.cuh"

// Block k reduces row k of `series` [rows, n] over the valid samples: out[k] = {count, sum, sum of squares}.
extern "C" __global__ void series_sums(const real* __restrict__ series, const unsigned char* __restrict__ valid,
                                       double* __restrict__ out, int n) {
  FH_SHARED(double, scratch);
  const long long row = blockIdx.x;
  const real* x = series + row * n;
  const double count = block_sum_over(n, [&](int i) { return valid[i] ? 1.0 : 0.0; }, scratch);
  const double sum = block_sum_over(n, [&](int i) { return valid[i] ? static_cast<double>(x[i]) : 0.0; }, scratch);
  const double squares = block_sum_over(
      n, [&](int i) { return valid[i] ? static_cast<double>(x[i]) * static_cast<double>(x[i]) : 0.0; }, scratch);
  if (threadIdx.x == 0) {
    out[row * 3] = count;
    out[row * 3 + 1] = sum;
    out[row * 3 + 2] = squares;
  }
}

// Block a counts how often action a was taken in valid samples.
extern "C" __global__ void action_counts(const int* __restrict__ action, const unsigned char* __restrict__ valid,
                                         double* __restrict__ out, int n) {
  FH_SHARED(double, scratch);
  const int a = blockIdx.x;
  const double count = block_sum_over(n, [&](int i) { return valid[i] && action[i] == a ? 1.0 : 0.0; }, scratch);
  if (threadIdx.x == 0) out[a] = count;
}

// Totals over the accounts: {pnl, fees, trades, wins, episodes, sum |position|, accounts with a position}. One block.
extern "C" __global__ void account_totals(const double* __restrict__ pnl, const double* __restrict__ fees,
                                          const long long* __restrict__ trades, const long long* __restrict__ wins,
                                          const long long* __restrict__ episodes, const double* __restrict__ position,
                                          double* __restrict__ out, int accounts) {
  FH_SHARED(double, scratch);
  const double totals[7] = {
      block_sum_over(accounts, [&](int i) { return pnl[i]; }, scratch),
      block_sum_over(accounts, [&](int i) { return fees[i]; }, scratch),
      block_sum_over(accounts, [&](int i) { return static_cast<double>(trades[i]); }, scratch),
      block_sum_over(accounts, [&](int i) { return static_cast<double>(wins[i]); }, scratch),
      block_sum_over(accounts, [&](int i) { return static_cast<double>(episodes[i]); }, scratch),
      block_sum_over(accounts, [&](int i) { return position[i] < 0.0 ? -position[i] : position[i]; }, scratch),
      block_sum_over(accounts, [&](int i) { return position[i] != 0.0 ? 1.0 : 0.0; }, scratch)};
  if (threadIdx.x == 0)
    for (int k = 0; k < 7; ++k) out[k] = totals[k];
}

// Block s sums the squares of segment s = {offset, length} of a group's storage: a NaN shows up in its tensor.
extern "C" __global__ void segment_squares(const real* __restrict__ values, const long long* __restrict__ segments,
                                           double* __restrict__ out) {
  FH_SHARED(double, scratch);
  const long long s = blockIdx.x;
  const real* x = values + segments[2 * s];
  const int n = static_cast<int>(segments[2 * s + 1]);
  const double squares =
      block_sum_over(n, [&](int i) { return static_cast<double>(x[i]) * static_cast<double>(x[i]); }, scratch);
  if (threadIdx.x == 0) out[s] = squares;
}

// Block s compares segment s of a group's storage with a copy made before: out[s] = |after - before| over the larger of
// |before| and |after|, from 0 to 2. It is 0 only where no value changed.
extern "C" __global__ void segment_change(const real* __restrict__ before, const real* __restrict__ after,
                                          const long long* __restrict__ segments, double* __restrict__ out) {
  FH_SHARED(double, scratch);
  const long long s = blockIdx.x;
  const real *old = before + segments[2 * s], *now = after + segments[2 * s];
  const int n = static_cast<int>(segments[2 * s + 1]);
  const auto square = [](double x) { return x * x; };
  const double moved = block_sum_over(n, [&](int i) { return square(static_cast<double>(now[i]) - static_cast<double>(old[i])); }, scratch);
  const double was = block_sum_over(n, [&](int i) { return square(static_cast<double>(old[i])); }, scratch);
  const double is = block_sum_over(n, [&](int i) { return square(static_cast<double>(now[i])); }, scratch);
  // A NaN must reach the metric: only what did not move at all counts as 0.
  if (threadIdx.x == 0) out[s] = moved == 0.0 ? 0.0 : fh_sqrt(moved / (was > is ? was : is));
}

// Copies this iteration's record into its slot of the ring that the program reads with a lag.
extern "C" __global__ void record_metrics(const double* __restrict__ record, const unsigned long long* __restrict__ step,
                                          double* __restrict__ ring, int slots, int n) {
  const long long slot = static_cast<long long>(*step % static_cast<unsigned long long>(slots));
  FH_FOR_ELEMENTS(i, n) ring[slot * n + i] = record[i];
}

// Transitions that the replay holds.
extern "C" __global__ void ring_size(const int* __restrict__ ring, double* __restrict__ out) {
  FH_FOR_ELEMENTS(one, 1) out[one] = static_cast<double>(ring[1]);
}

// Sum of counts, exact below 2^53. One block.
extern "C" __global__ void count_sum(const long long* __restrict__ counts, double* __restrict__ out, int n) {
  FH_SHARED(double, scratch);
  const double sum = block_sum_over(n, [&](int i) { return static_cast<double>(counts[i]); }, scratch);
  if (threadIdx.x == 0) out[0] = sum;
}
