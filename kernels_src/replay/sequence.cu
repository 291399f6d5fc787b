// Replay of sequences: what an account saw and did in one rollout of `horizon` steps, and what its encoder carried into it
// (stored state: Kapturowski et al. 2019). ring = {next slot to write, transitions held}; every sequence counts `horizon`
// transitions. A batch lies time first, [rows, chosen, columns], as rollouts do.
#include "common/philox.cuh"
#include "common/platform.cuh"
#include "common/reduce.cuh"

// values [rows, accounts, columns] of a rollout to the slots of its accounts in ring_values [capacity, rows, columns].
extern "C" __global__ void sequence_write(const real* __restrict__ values, const int* __restrict__ ring,
                                          real* __restrict__ ring_values, int rows, int accounts, int columns, int capacity) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(rows) * accounts * columns) {
    const long long account = (i / columns) % accounts, row = i / columns / accounts;
    const long long slot = (ring[0] + account) % capacity;
    ring_values[(slot * rows + row) * columns + i % columns] = values[i];
  }
}

// The same for the steps' own values, [horizon, accounts] each.
extern "C" __global__ void sequence_write_steps(const int* __restrict__ ring, const int* __restrict__ action,
                                                const real* __restrict__ reward, const unsigned char* __restrict__ done,
                                                const unsigned char* __restrict__ valid, int* __restrict__ ring_action,
                                                real* __restrict__ ring_reward, unsigned char* __restrict__ ring_done,
                                                unsigned char* __restrict__ ring_valid, int horizon, int accounts,
                                                int capacity) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(horizon) * accounts) {
    const long long slot = (ring[0] + i % accounts) % capacity, to = slot * horizon + i / accounts;
    ring_action[to] = action[i];
    ring_reward[to] = reward[i];
    ring_done[to] = done[i];
    ring_valid[to] = valid[i];
  }
}

// The ring after all accounts have written.
extern "C" __global__ void sequence_advance(int* __restrict__ ring, int horizon, int accounts, int capacity) {
  FH_FOR_ELEMENTS(i, 1) {
    const int held = ring[1] / horizon + accounts;
    ring[0] = static_cast<int>((static_cast<long long>(ring[0]) + accounts) % capacity);
    ring[1] = (held < capacity ? held : capacity) * horizon;
  }
}

// Slots of the sequences of a batch, drawn uniformly with replacement. One that has no valid step from `first` on, so
// that there is nothing to learn from it, is passed over for the next in the ring.
extern "C" __global__ void sequence_draw(const int* __restrict__ ring, const unsigned long long* __restrict__ step,
                                         const unsigned char* __restrict__ ring_valid, int* __restrict__ slot, int first,
                                         int horizon, int chosen, unsigned key0, unsigned key1, unsigned salt) {
  FH_FOR_ELEMENTS(i, chosen) {
    const int held = ring[1] / horizon;
    const fh_random4 draw = fh_philox(key0, key1, static_cast<unsigned>(i), salt, static_cast<unsigned>(*step),
                                      static_cast<unsigned>(*step >> 32));
    int at = static_cast<int>((static_cast<unsigned long long>(draw.x) * static_cast<unsigned>(held)) >> 32);
    for (int tried = 0; tried < held; ++tried) {
      const unsigned char* valid = ring_valid + static_cast<long long>(at) * horizon;
      int any = 0;
      for (int t = first; t < horizon; ++t) any |= valid[t];
      if (any) break;
      at = at + 1 < held ? at + 1 : 0;
    }
    slot[i] = at;
  }
}

// ring_values [capacity, rows, columns] of the chosen slots to values [rows, chosen, columns].
extern "C" __global__ void sequence_read(const int* __restrict__ slot, const real* __restrict__ ring_values,
                                         real* __restrict__ values, int rows, int chosen, int columns) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(rows) * chosen * columns) {
    const long long row = i / columns / chosen, from = slot[(i / columns) % chosen];
    values[i] = ring_values[(from * rows + row) * columns + i % columns];
  }
}

// The same for the steps' own values, [horizon, chosen] each; `valid` has one row more, 1: no episode ends there.
extern "C" __global__ void sequence_read_steps(const int* __restrict__ slot, const int* __restrict__ ring_action,
                                               const real* __restrict__ ring_reward,
                                               const unsigned char* __restrict__ ring_done,
                                               const unsigned char* __restrict__ ring_valid, int* __restrict__ action,
                                               real* __restrict__ reward, unsigned char* __restrict__ done,
                                               unsigned char* __restrict__ valid, int horizon, int chosen) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(horizon + 1) * chosen) {
    const long long row = i / chosen, from = static_cast<long long>(slot[i % chosen]) * horizon + row;
    valid[i] = row < horizon ? ring_valid[from] : 1;
    if (row < horizon) {
      action[i] = ring_action[from];
      reward[i] = ring_reward[from];
      done[i] = ring_done[from];
    }
  }
}

// Which of n steps a batch of n transitions learns from: the valid ones in their order, over and over until the batch is
// full. pick [n]: step of each transition; rank [n]: which valid step each one is, -1 for the others; count [1] of the
// valid ones. With none, each picks itself. One block.
extern "C" __global__ void pick_valid(const unsigned char* __restrict__ valid, int* __restrict__ pick, int* __restrict__ rank,
                                      int* __restrict__ count, int n) {
  FH_SHARED(int, scratch);
  int base = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + static_cast<int>(threadIdx.x);
    const int mine = i < n && valid[i] ? 1 : 0;
    int total = 0;
    const int before = block_exclusive_scan(mine, &total, scratch);
    if (i < n) rank[i] = mine ? base + before : -1;
    if (mine) pick[base + before] = i;
    base += total;
  }
  __syncthreads();
  for (int k = base + static_cast<int>(threadIdx.x); k < n; k += blockDim.x) pick[k] = base > 0 ? pick[k % base] : k;
  if (threadIdx.x == 0) count[0] = base;
}

// The transitions of the picked steps.
extern "C" __global__ void gather_transitions(const int* __restrict__ pick, const int* __restrict__ action,
                                              const real* __restrict__ reward, const real* __restrict__ discount,
                                              const int* __restrict__ next, int* __restrict__ to_action,
                                              real* __restrict__ to_reward, real* __restrict__ to_discount,
                                              int* __restrict__ to_next, int n) {
  FH_FOR_ELEMENTS(i, n) {
    const int from = pick[i];
    to_action[i] = action[from];
    to_reward[i] = reward[from];
    to_discount[i] = discount[from];
    to_next[i] = next[from];
  }
}

// Gradient of each step, [n, columns]: the sum over the transitions that picked it.
extern "C" __global__ void scatter_picked(const int* __restrict__ rank, const int* __restrict__ count,
                                          const real* __restrict__ gradient, real* __restrict__ to, int n, int columns) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(n) * columns) {
    const long long column = i % columns;
    real sum = real(0);
    const int mine = rank[i / columns], stride = count[0];
    if (mine >= 0)
      for (long long k = mine; k < n; k += stride) sum += gradient[k * columns + column];
    to[i] = sum;
  }
}
