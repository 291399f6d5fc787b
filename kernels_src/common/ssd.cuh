// A chunk of steps of one head's recurrence as products of small matrices (state-space duality, Dao & Gu 2024,
// section 6): with log-decays summed to s(t) within the chunk,
//   y_t = sum_{k <= t} (C_t B_k) exp(s(t) - s(k)) dt_k x_k + exp(s(t)) S C_t + D x_t,
// every factor 0 where an episode began in between. Constants as in common/mamba2.cuh, and CHUNK.
#pragma once
#include "common/mamba2.cuh"

// The padding keeps threads that walk down a column on different banks of shared memory.
#define LINE (HEAD_DIM + 1)

// What the chunk is made of, in shared memory.
struct SsdChunk {
  real* x;         // [CHUNK, LINE]
  real* b;         // [CHUNK, STATE]
  real* c;         // [CHUNK, STATE]
  real* raw;       // [CHUNK] dt before the softplus, bias included
  real* dt;        // [CHUNK]
  real* sum;       // [CHUNK] log-decay from the episode's or the chunk's start through this step
  real* episode;   // [CHUNK] how many episodes began in the chunk up to this step
  real* opening;   // [CHUNK] decay from the chunk's start through this step
  real* closing;   // [CHUNK] decay from this step to the chunk's end, times dt
  real* state;     // [STATE, LINE] at the chunk's start
};
#define SSD_CHUNK_REALS (CHUNK * LINE + 2 * CHUNK * STATE + 6 * CHUNK + STATE * LINE)

static __device__ inline SsdChunk ssd_chunk(real* memory) {
  SsdChunk k;
  k.x = memory;
  k.b = k.x + CHUNK * LINE;
  k.c = k.b + CHUNK * STATE;
  k.raw = k.c + CHUNK * STATE;
  k.dt = k.raw + CHUNK;
  k.sum = k.dt + CHUNK;
  k.episode = k.sum + CHUNK;
  k.opening = k.episode + CHUNK;
  k.closing = k.opening + CHUNK;
  k.state = k.closing + CHUNK;
  return k;
}

// One account's tensors, which are [steps, accounts, …] as a whole.
struct SsdAccount {
  const real* projected;
  const real* mixed;
  const unsigned char* valid;
  int masked, account, accounts, head;

  __device__ long long row(int step) const { return static_cast<long long>(step) * accounts + account; }
  // Whether an episode begins at this step.
  __device__ bool begins(int step) const { return masked && step > 0 && !valid[row(step - 1)]; }
};

// Fills all of the chunk but its state; ends with a barrier.
static __device__ inline void ssd_load(const SsdChunk& k, const SsdAccount& from, int first, int count, real rate,
                                       real bias) {
  for (int t = 0; t < count; ++t) {
    const real* mixed = from.mixed + from.row(first + t) * MIXED;
    const real* x = mixed + from.head * HEAD_DIM;
    for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) k.x[t * LINE + p] = silu(x[p]);
    for (int n = threadIdx.x; n < STATE; n += blockDim.x) {
      k.b[t * STATE + n] = silu(mixed[CHANNELS + n]);
      k.c[t * STATE + n] = silu(mixed[CHANNELS + STATE + n]);
    }
  }
  for (int t = threadIdx.x; t < count; t += blockDim.x) {
    k.raw[t] = from.projected[from.row(first + t) * PROJECTED + PROJECTED - HEADS + from.head] + bias;
    k.dt[t] = fh_softplus(k.raw[t]);
  }
  __syncthreads();
  for (int t = threadIdx.x; t < count; t += blockDim.x) {
    real sum = real(0), through = real(0), episode = real(0), episodes = real(0);
    for (int j = 0; j < count; ++j) {
      if (from.begins(first + j)) {
        episodes += real(1);
        through = real(0);
      }
      through -= k.dt[j] * rate;
      if (j == t) {
        sum = through;
        episode = episodes;
      }
    }
    // The episode is asked first: of what lies behind its beginning nothing may come through.
    k.sum[t] = sum;
    k.episode[t] = episode;
    k.opening[t] = episode == real(0) ? fh_exp(sum) : real(0);
    k.closing[t] = episode == episodes ? fh_exp(through - sum) * k.dt[t] : real(0);
  }
  __syncthreads();
}

// Decay from step s to step t >= s of the chunk.
static __device__ inline real ssd_decay(const SsdChunk& k, int t, int s) {
  return k.episode[t] == k.episode[s] ? fh_exp(k.sum[t] - k.sum[s]) : real(0);
}

// a b where a = 0 takes away whatever b is, an infinity too.
static __device__ inline real ssd_cut(real a, real b) { return a == real(0) ? real(0) : a * b; }

// The state moves on over the chunk. Every thread touches its own columns alone.
static __device__ inline void ssd_advance(const SsdChunk& k, int count) {
  const real through = k.opening[count - 1];
  for (int n = 0; n < STATE; ++n) {
    real* const line = k.state + n * LINE;
    for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) line[p] = ssd_cut(through, line[p]);
    for (int s = 0; s < count; ++s) {
      const real weight = k.closing[s] * k.b[s * STATE + n];
      for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) line[p] += weight * k.x[s * LINE + p];
    }
  }
}
