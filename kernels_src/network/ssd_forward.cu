// The recurrence of Mamba-2 over a window, in chunks (common/ssd.cuh). One block an account and head: block = account *
// HEADS + head. Constants HEADS, HEAD_DIM, STATE, CHUNK.
#include "common/ssd.cuh"

// y [steps, accounts, CHANNELS]; end [accounts, STATE, CHANNELS] = the state that the step after the window begins with.
extern "C" __global__ void ssd_forward(const real* __restrict__ projected, const real* __restrict__ mixed,
                                       const real* __restrict__ a_log, const real* __restrict__ skip,
                                       const real* __restrict__ dt_bias, const real* __restrict__ start,
                                       const unsigned char* __restrict__ valid, real* __restrict__ y,
                                       real* __restrict__ end, int masked, int steps, int accounts) {
  FH_SHARED(real, memory);
  const SsdChunk k = ssd_chunk(memory);
  real* const weight = memory + SSD_CHUNK_REALS;  // [CHUNK, CHUNK] of x_s in y_t
  real* const out = weight + CHUNK * CHUNK;       // [HEAD_DIM]
  for (int block = blockIdx.x; block < accounts * HEADS; block += gridDim.x) {
    const int account = block / HEADS, head = block % HEADS;
    const SsdAccount from = {projected, mixed, valid, masked, account, accounts, head};
    const real rate = fh_exp(a_log[head]), d = skip[head];
    const long long corner = static_cast<long long>(account) * STATE * CHANNELS + head * HEAD_DIM;
    for (int n = 0; n < STATE; ++n)
      for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) k.state[n * LINE + p] = start[corner + n * CHANNELS + p];
    for (int first = 0; first < steps; first += CHUNK) {
      const int count = steps - first < CHUNK ? steps - first : CHUNK;
      ssd_load(k, from, first, count, rate, dt_bias[head]);
      for (int i = threadIdx.x; i < count * count; i += blockDim.x) {
        const int t = i / count, s = i % count;
        real product = real(0);
        if (s <= t)
          for (int n = 0; n < STATE; ++n) product += k.c[t * STATE + n] * k.b[s * STATE + n];
        weight[t * CHUNK + s] = s <= t ? product * ssd_decay(k, t, s) * k.dt[s] : real(0);
      }
      __syncthreads();
      for (int t = 0; t < count; ++t) {
        for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) out[p] = d * k.x[t * LINE + p];
        const real decay = k.opening[t];
        for (int n = 0; n < STATE && decay != real(0); ++n) {
          const real c = decay * k.c[t * STATE + n];
          for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) out[p] += c * k.state[n * LINE + p];
        }
        for (int s = 0; s <= t; ++s) {
          const real w = weight[t * CHUNK + s];
          for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) out[p] += w * k.x[s * LINE + p];
        }
        real* const to = y + from.row(first + t) * CHANNELS + head * HEAD_DIM;
        for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) to[p] = out[p];
      }
      ssd_advance(k, count);
      __syncthreads();
    }
    const bool closed = from.begins(steps);
    for (int n = 0; n < STATE; ++n)
      for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x)
        end[corner + n * CHANNELS + p] = closed ? real(0) : k.state[n * LINE + p];
  }
}
