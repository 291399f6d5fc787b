// Causal depthwise convolution of Mamba-2: mixed[t, c] = b[c] + sum_j w[CONV - 1 - j, c] input[t - j, c], where the
// input is the part x | B | C of `projected` (common/mamba2.cuh). What lies before the window is in `start`
// [accounts, CONV - 1, MIXED], the oldest first; beyond an episode's beginning there are zeros. Rows are (step, account).
// Constants HEADS, HEAD_DIM, STATE, CONV.
#include "common/mamba2.cuh"

// How many of the CONV - 1 steps before `step` belong to its episode.
static __device__ inline int reach_back(const unsigned char* valid, int masked, int step, int account, int accounts) {
  int reach = 0;
  bool connected = true;
  for (int j = 1; j < CONV; ++j) {
    const int before = step - j;
    if (masked && before >= 0 && !valid[static_cast<long long>(before) * accounts + account]) connected = false;
    if (connected) reach = j;
  }
  return reach;
}

// Where the input `back` steps before `step` lies.
static __device__ inline const real* tap(const real* projected, const real* start, int step, int account, int accounts,
                                         int back) {
  const int at = step - back;
  if (at < 0) return start + (static_cast<long long>(account) * (CONV - 1) + CONV - 1 + at) * MIXED;
  return projected + (static_cast<long long>(at) * accounts + account) * PROJECTED + CHANNELS;
}

extern "C" __global__ void conv_forward(const real* __restrict__ projected, const real* __restrict__ w,
                                        const real* __restrict__ b, const real* __restrict__ start,
                                        const unsigned char* __restrict__ valid, real* __restrict__ mixed, int masked,
                                        int accounts, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const int step = row / accounts, account = row % accounts;
    const int reach = reach_back(valid, masked, step, account, accounts);
    const real* from[CONV];
    for (int j = 0; j < CONV; ++j) from[j] = tap(projected, start, step, account, accounts, j <= reach ? j : 0);
    real* to = mixed + static_cast<long long>(row) * MIXED;
    for (int c = threadIdx.x; c < MIXED; c += blockDim.x) {
      real sum = b[c];
      for (int j = CONV - 1; j >= 0; --j) {
        const real value = from[j][c];
        sum += w[(CONV - 1 - j) * MIXED + c] * (j <= reach ? value : real(0));
      }
      to[c] = sum;
    }
  }
}

// The last CONV - 1 inputs of the window that the next step still sees, as `start` of what follows.
extern "C" __global__ void conv_end(const real* __restrict__ projected, const real* __restrict__ start,
                                    const unsigned char* __restrict__ valid, real* __restrict__ end, int masked,
                                    int steps, int accounts) {
  for (int account = blockIdx.x; account < accounts; account += gridDim.x) {
    const int reach = reach_back(valid, masked, steps, account, accounts);
    for (int j = 1; j < CONV; ++j) {
      const real* from = tap(projected, start, steps, account, accounts, j);
      real* to = end + (static_cast<long long>(account) * (CONV - 1) + CONV - 1 - j) * MIXED;
      for (int c = threadIdx.x; c < MIXED; c += blockDim.x) {
        const real value = from[c];
        to[c] = j <= reach ? value : real(0);
      }
    }
  }
}

// Gradient of `mixed` from that of its silu: grad_x [rows, CHANNELS], and grad_bc [rows, HEADS, 2 STATE], to be summed.
extern "C" __global__ void conv_grad_mixed(const real* __restrict__ mixed, const real* __restrict__ grad_x,
                                           const real* __restrict__ grad_bc, real* __restrict__ grad_mixed, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const real* from = mixed + static_cast<long long>(row) * MIXED;
    real* to = grad_mixed + static_cast<long long>(row) * MIXED;
    const real* gx = grad_x + static_cast<long long>(row) * CHANNELS;
    const real* gbc = grad_bc + static_cast<long long>(row) * HEADS * 2 * STATE;
    for (int c = threadIdx.x; c < CHANNELS; c += blockDim.x) to[c] = gx[c] * silu_slope(from[c]);
    for (int i = threadIdx.x; i < 2 * STATE; i += blockDim.x) {
      real sum = real(0);
      for (int h = 0; h < HEADS; ++h) sum += gbc[h * 2 * STATE + i];
      to[CHANNELS + i] = sum * silu_slope(from[CHANNELS + i]);
    }
  }
}

// The part x | B | C of grad_projected.
extern "C" __global__ void conv_backward(const real* __restrict__ grad_mixed, const real* __restrict__ w,
                                         const unsigned char* __restrict__ valid, real* __restrict__ grad_projected,
                                         int masked, int accounts, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const int steps = rows / accounts, step = row / accounts, account = row % accounts;
    int reach = 0;
    for (int j = 1; j < CONV && step + j < steps; ++j) {
      if (masked && !valid[static_cast<long long>(step + j - 1) * accounts + account]) break;
      reach = j;
    }
    const real* from[CONV];
    for (int j = 0; j < CONV; ++j)
      from[j] = grad_mixed + (static_cast<long long>(row) + (j <= reach ? j : 0) * static_cast<long long>(accounts)) * MIXED;
    real* to = grad_projected + static_cast<long long>(row) * PROJECTED + CHANNELS;
    for (int c = threadIdx.x; c < MIXED; c += blockDim.x) {
      real sum = real(0);
      for (int j = 0; j < CONV; ++j) {
        const real value = from[j][c];
        sum += w[(CONV - 1 - j) * MIXED + c] * (j <= reach ? value : real(0));
      }
      to[c] = sum;
    }
  }
}

// Block k sums the gradient of w over rows [k*rows_per_block, …) into partial[k, :] [CONV, MIXED]; column_sum_finish
// adds them up.
extern "C" __global__ void conv_weights_partial(const real* __restrict__ projected, const real* __restrict__ start,
                                                const unsigned char* __restrict__ valid,
                                                const real* __restrict__ grad_mixed, real* __restrict__ partial,
                                                int masked, int accounts, int rows, int rows_per_block) {
  const int block = blockIdx.x;
  const int first = block * rows_per_block;
  const int last = first + rows_per_block < rows ? first + rows_per_block : rows;
  real* to = partial + static_cast<long long>(block) * CONV * MIXED;
  // A thread only ever touches its own channels: no barrier.
  for (int j = 0; j < CONV; ++j)
    for (int c = threadIdx.x; c < MIXED; c += blockDim.x) to[j * MIXED + c] = real(0);
  for (int row = first; row < last; ++row) {
    const int step = row / accounts, account = row % accounts;
    const int reach = reach_back(valid, masked, step, account, accounts);
    const real* grad = grad_mixed + static_cast<long long>(row) * MIXED;
    for (int j = 0; j <= reach; ++j) {
      const real* from = tap(projected, start, step, account, accounts, j);
      real* sum = to + (CONV - 1 - j) * MIXED;
      for (int c = threadIdx.x; c < MIXED; c += blockDim.x) sum[c] += grad[c] * from[c];
    }
  }
}
