// What an account sees when it decides: the features of its row of the book, and its own state.
// Constants: BOOK_FEATURES, FEATURES (= BOOK_FEATURES + 6).
#include "common/platform.cuh"

static __device__ inline double squash(double x) { return x / (1.0 + (x < 0.0 ? -x : x)); }

extern "C" __global__ void observe(const real* __restrict__ book_features, const int* __restrict__ mark2,
                                   const real* __restrict__ session_left, const int* __restrict__ row,
                                   const double* __restrict__ position, const double* __restrict__ entry_price,
                                   const double* __restrict__ cash, const int* __restrict__ age,
                                   real* __restrict__ x, double full_lots, double tick_value, int accounts) {
  FH_FOR_ELEMENTS(i, accounts) {
    const long long r = row[i];
    const real* from = book_features + r * BOOK_FEATURES;
    real* to = x + static_cast<long long>(i) * FEATURES;
    for (int f = 0; f < BOOK_FEATURES; ++f) to[f] = from[f];

    const double held = position[i] / full_lots;
    const double mark = 0.5 * mark2[r];
    const double equity_ticks = cash[i] / tick_value + position[i] * mark;
    const double unrealised_ticks = position[i] * (mark - entry_price[i]);
    real* own = to + BOOK_FEATURES;
    own[0] = real(held);
    own[1] = real(held < 0.0 ? -held : held);
    own[2] = real(squash(unrealised_ticks / (10.0 * full_lots)));
    own[3] = real(squash(0.02 * age[i]));
    own[4] = real(session_left[r]);
    own[5] = real(squash(equity_ticks / (100.0 * full_lots)));
  }
}
