// Gradients of the recurrence of Mamba-2 over a window (common/ssd.cuh), from the last chunk to the first. Nothing but
// the states at the chunks' starts is kept from the forward pass, and these are calculated again. One block an account
// and head: block = account * HEADS + head. Constants HEADS, HEAD_DIM, STATE, CHUNK.
#include "common/lanes.cuh"
#include "common/ssd.cuh"

// From grad_y [steps, accounts, CHANNELS]: grad_x, the same shape; grad_bc [steps, accounts, HEADS, 2 STATE], each
// head's share of the gradients of B | C; the part dt of grad_projected; and each account's share of the gradients of
// A_log, D and dt_bias, [accounts, HEADS]. x, B and C are those after the SiLU. chunk_states
// [accounts * HEADS, chunks - 1, STATE, HEAD_DIM] is working memory.
extern "C" __global__ void ssd_backward(
    const real* __restrict__ projected, const real* __restrict__ mixed, const real* __restrict__ a_log,
    const real* __restrict__ skip, const real* __restrict__ dt_bias, const real* __restrict__ start,
    const unsigned char* __restrict__ valid, const real* __restrict__ grad_y, real* __restrict__ grad_projected,
    real* __restrict__ grad_x, real* __restrict__ grad_bc, real* __restrict__ grad_a_log, real* __restrict__ grad_skip,
    real* __restrict__ grad_dt_bias, real* __restrict__ chunk_states, int masked, int steps, int accounts) {
  FH_SHARED(real, memory);
  const SsdChunk k = ssd_chunk(memory);
  real* const dy = memory + SSD_CHUNK_REALS;       // [CHUNK, LINE]
  real* const ds = dy + CHUNK * LINE;              // [STATE, LINE] gradient of the state at the chunk's end
  real* const out = ds + STATE * LINE;             // [HEAD_DIM]
  real* const weight = out + HEAD_DIM;             // [CHUNK, CHUNK] of x_s in y_t
  real* const score = weight + CHUNK * CHUNK;      // gradient of C_t B_s
  real* const flow = score + CHUNK * CHUNK;        // C_t B_s * decay * (grad y_t x_s): gradient of dt_s, through y_t
  real* const seen = flow + CHUNK * CHUNK;         // [CHUNK, STATE] S grad y_t
  real* const kept = seen + CHUNK * STATE;         // [CHUNK, STATE] grad S' x_s, S' the state at the chunk's end
  real* const from_start = kept + CHUNK * STATE;   // [CHUNK] part of y_t's loss that comes from the chunk's start
  real* const into_end = from_start + CHUNK;       // [CHUNK] gradient of dt_s, through the state at the chunk's end
  real* const rate_terms = into_end + CHUNK;       // [CHUNK] gradient of A_log
  real* const bias_terms = rate_terms + CHUNK;     // [CHUNK] gradient of dt before the softplus
  real* const totals = bias_terms + CHUNK;         // A_log, D, dt_bias, and the loss that passes through the chunk
  const int chunks = (steps + CHUNK - 1) / CHUNK;
  for (int block = blockIdx.x; block < accounts * HEADS; block += gridDim.x) {
    const int account = block / HEADS, head = block % HEADS;
    const SsdAccount from = {projected, mixed, valid, masked, account, accounts, head};
    const real rate = fh_exp(a_log[head]), d = skip[head], bias = dt_bias[head];
    const long long corner = static_cast<long long>(account) * STATE * CHANNELS + head * HEAD_DIM;
    real* const states = chunk_states + static_cast<long long>(block) * (chunks - 1) * STATE * HEAD_DIM;
    const auto start_state = [&] {
      for (int n = 0; n < STATE; ++n)
        for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) k.state[n * LINE + p] = start[corner + n * CHANNELS + p];
    };
    start_state();
    for (int chunk = 0; chunk + 1 < chunks; ++chunk) {
      ssd_load(k, from, chunk * CHUNK, CHUNK, rate, bias);
      ssd_advance(k, CHUNK);
      for (int n = 0; n < STATE; ++n)
        for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x)
          states[(chunk * STATE + n) * HEAD_DIM + p] = k.state[n * LINE + p];
      __syncthreads();
    }
    for (int n = 0; n < STATE; ++n)
      for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) ds[n * LINE + p] = real(0);
    if (threadIdx.x == 0)
      for (int i = 0; i < 3; ++i) totals[i] = real(0);

    for (int chunk = chunks - 1; chunk >= 0; --chunk) {
      const int first = chunk * CHUNK, count = steps - first < CHUNK ? steps - first : CHUNK, last = count - 1;
      const bool later = chunk + 1 < chunks;
      if (chunk == 0) {
        start_state();
      } else {
        for (int n = 0; n < STATE; ++n)
          for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x)
            k.state[n * LINE + p] = states[((chunk - 1) * STATE + n) * HEAD_DIM + p];
      }
      for (int t = 0; t < count; ++t) {
        const real* line = grad_y + from.row(first + t) * CHANNELS + head * HEAD_DIM;
        for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) dy[t * LINE + p] = line[p];
      }
      ssd_load(k, from, first, count, rate, bias);

      for (int i = threadIdx.x; i < count * count; i += blockDim.x) {
        const int t = i / count, s = i % count;
        const int at = t * CHUNK + s;
        if (s > t) {
          weight[at] = score[at] = flow[at] = real(0);
          continue;
        }
        const real decay = ssd_decay(k, t, s);
        const real product = lane_sum(STATE, [&](int n) { return k.c[t * STATE + n] * k.b[s * STATE + n]; });
        const real loss = lane_sum(HEAD_DIM, [&](int p) { return dy[t * LINE + p] * k.x[s * LINE + p]; });
        weight[at] = product * decay * k.dt[s];
        score[at] = loss * decay * k.dt[s];
        flow[at] = product * decay * loss;
        if (s == t) bias_terms[t] = loss;
      }
      for (int i = threadIdx.x; i < count * STATE; i += blockDim.x) {
        const int t = i / STATE, n = i % STATE;
        seen[i] = lane_sum(HEAD_DIM, [&](int p) { return k.state[n * LINE + p] * dy[t * LINE + p]; });
        kept[i] = later ? lane_sum(HEAD_DIM, [&](int p) { return ds[n * LINE + p] * k.x[t * LINE + p]; }) : real(0);
      }
      __syncthreads();
      if (threadIdx.x == 0) {
        for (int t = 0; t < count; ++t) totals[1] += bias_terms[t];
        real through = real(0);
        for (int n = 0; n < STATE && later; ++n)
          through += lane_sum(HEAD_DIM, [&](int p) { return ds[n * LINE + p] * k.state[n * LINE + p]; });
        totals[3] = ssd_cut(k.opening[last], through);
      }
      for (int t = threadIdx.x; t < count; t += blockDim.x) {
        real start_loss = real(0), end_loss = real(0);
        for (int n = 0; n < STATE; ++n) {
          start_loss += k.c[t * STATE + n] * seen[t * STATE + n];
          end_loss += k.b[t * STATE + n] * kept[t * STATE + n];
        }
        from_start[t] = ssd_cut(k.opening[t], start_loss);
        into_end[t] = ssd_decay(k, last, t) * end_loss;
      }
      __syncthreads();

      for (int s = 0; s < count; ++s) {
        for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) out[p] = d * dy[s * LINE + p];
        for (int t = s; t < count; ++t) {
          const real w = weight[t * CHUNK + s];
          for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) out[p] += w * dy[t * LINE + p];
        }
        for (int n = 0; n < STATE && later; ++n) {
          const real w = k.closing[s] * k.b[s * STATE + n];
          for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) out[p] += w * ds[n * LINE + p];
        }
        real* const to = grad_x + from.row(first + s) * CHANNELS + head * HEAD_DIM;
        for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) to[p] = out[p];
      }
      for (int i = threadIdx.x; i < count * STATE; i += blockDim.x) {
        const int at = i / STATE, n = i % STATE;
        real of_b = k.closing[at] * kept[i], of_c = ssd_cut(k.opening[at], seen[i]);
        for (int t = at; t < count; ++t) of_b += score[t * CHUNK + at] * k.c[t * STATE + n];
        for (int s = 0; s <= at; ++s) of_c += score[at * CHUNK + s] * k.b[s * STATE + n];
        real* const to = grad_bc + (from.row(first + at) * HEADS + head) * 2 * STATE;
        to[n] = of_b;
        to[STATE + n] = of_c;
      }
      // The log-decay of step j stands in every path that leads over it: from s < j to t >= j, from the chunk's start,
      // and on to its end.
      for (int j = threadIdx.x; j < count; j += blockDim.x) {
        real direct = into_end[j], over = totals[3];
        for (int t = j; t < count; ++t) {
          direct += flow[t * CHUNK + j];
          over += from_start[t];
          for (int s = 0; s < j; ++s) over += flow[t * CHUNK + s] * k.dt[s];
        }
        for (int s = 0; s < j; ++s) over += into_end[s] * k.dt[s];
        const real slope = k.raw[j] > real(20) ? real(1) : fh_sigmoid(k.raw[j]);
        const real raw = (direct - rate * over) * slope;
        rate_terms[j] = -rate * k.dt[j] * over;
        bias_terms[j] = raw;
        grad_projected[from.row(first + j) * PROJECTED + PROJECTED - HEADS + head] = raw;
      }
      if (chunk > 0) {
        const real through = k.opening[last];
        for (int n = 0; n < STATE; ++n) {
          real* const line = ds + n * LINE;
          for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) line[p] = ssd_cut(through, line[p]);
          for (int t = 0; t < count; ++t) {
            const real w = k.opening[t] * k.c[t * STATE + n];
            for (int p = threadIdx.x; p < HEAD_DIM; p += blockDim.x) line[p] += w * dy[t * LINE + p];
          }
        }
      }
      __syncthreads();
      if (threadIdx.x == 0)
        for (int j = 0; j < count; ++j) {
          totals[0] += rate_terms[j];
          totals[2] += bias_terms[j];
        }
    }
    if (threadIdx.x == 0) {
      grad_a_log[block] = totals[0];
      grad_skip[block] = totals[1];
      grad_dt_bias[block] = totals[2];
    }
  }
}
