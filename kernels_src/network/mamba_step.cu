// One step of a Mamba-2 block from the projected input to the gated norm (Dao & Gu 2024, section 7 and their
// reference's `step`): convolution, SiLU, recurrence, gate, norm. One block an account.
//   S <- exp(-dt exp(A_log)) S + dt x B,  y = S C + D x,  dt = softplus(raw + bias)
// valid_before [accounts]: 0 where the step before was the last of its episode, so that state and convolution begin at
// zero (masked = 0: nowhere). advance = 0: the state takes the zeros, but not the step.
// Constants HEADS, HEAD_DIM, STATE, CONV; layout in common/mamba2.cuh.
#include "common/mamba2.cuh"
#include "common/reduce.cuh"

extern "C" __global__ void mamba_step(const real* __restrict__ projected, const real* __restrict__ conv_w,
                                      const real* __restrict__ conv_b, const real* __restrict__ a_log,
                                      const real* __restrict__ skip, const real* __restrict__ dt_bias,
                                      const real* __restrict__ gain, const unsigned char* __restrict__ valid_before,
                                      real* __restrict__ conv_state, real* __restrict__ state,
                                      real* __restrict__ mixed, real* __restrict__ y, real* __restrict__ gated,
                                      int masked, int advance, int accounts) {
  FH_SHARED(real, bc);  // B | C
  real* const keep = bc + 2 * STATE;
  real* const driven = keep + CHANNELS;
  real* const out = driven + CHANNELS;
  real* const dt = out + CHANNELS;
  real* const decay = dt + HEADS;
  real* const scratch = decay + HEADS;
  for (int account = blockIdx.x; account < accounts; account += gridDim.x) {
    const bool fresh = masked && !valid_before[account];
    const real* row = projected + static_cast<long long>(account) * PROJECTED;
    real* const past = conv_state + static_cast<long long>(account) * (CONV - 1) * MIXED;
    real* const mixed_row = mixed + static_cast<long long>(account) * MIXED;
    for (int c = threadIdx.x; c < MIXED; c += blockDim.x) {
      const real now = row[CHANNELS + c];
      real sum = conv_b[c];
      real seen[CONV];
      for (int k = 0; k < CONV - 1; ++k) {
        const real value = past[k * MIXED + c];
        seen[k] = fresh ? real(0) : value;
        sum += conv_w[k * MIXED + c] * seen[k];
      }
      seen[CONV - 1] = now;
      sum += conv_w[(CONV - 1) * MIXED + c] * now;
      for (int k = 0; k < CONV - 1; ++k) past[k * MIXED + c] = advance ? seen[k + 1] : seen[k];
      mixed_row[c] = sum;
    }
    for (int h = threadIdx.x; h < HEADS; h += blockDim.x) {
      const real step = fh_softplus(row[PROJECTED - HEADS + h] + dt_bias[h]);
      dt[h] = step;
      decay[h] = fh_exp(-step * fh_exp(a_log[h]));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * STATE; i += blockDim.x) bc[i] = silu(mixed_row[CHANNELS + i]);
    for (int i = threadIdx.x; i < CHANNELS; i += blockDim.x) {
      const int h = i / HEAD_DIM;
      const real x = silu(mixed_row[i]);
      keep[i] = decay[h];
      driven[i] = dt[h] * x;
      out[i] = skip[h] * x;
    }
    __syncthreads();
    real* const mine = state + static_cast<long long>(account) * STATE * CHANNELS;
    for (int n = 0; n < STATE; ++n) {
      const real b = bc[n], c = bc[STATE + n];
      real* const line = mine + n * CHANNELS;
      for (int i = threadIdx.x; i < CHANNELS; i += blockDim.x) {
        const real stored = line[i];
        const real before = fresh ? real(0) : stored;
        const real after = keep[i] * before + driven[i] * b;
        line[i] = advance ? after : before;
        out[i] += after * c;
      }
    }
    const long long to = static_cast<long long>(account) * CHANNELS;
    const real squares = block_sum_over(
        CHANNELS,
        [&](int i) {
          const real v = out[i] * silu(row[i]);
          return v * v;
        },
        scratch);
    const real inverse = real(1) / fh_sqrt(squares / real(CHANNELS) + real(1e-5));
    for (int i = threadIdx.x; i < CHANNELS; i += blockDim.x) {
      y[to + i] = out[i];
      gated[to + i] = out[i] * silu(row[i]) * inverse * gain[i];
    }
    __syncthreads();
  }
}
