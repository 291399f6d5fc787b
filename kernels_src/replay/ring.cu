// Replay of transitions in a ring: (state, action, n-step reward, next state, discount). A state is what the encoder made
// of an observation, or the observation itself. Constant WIDTH, of a state.
#include "common/philox.cuh"
#include "common/platform.cuh"
#include "common/reduce.cuh"

// Slot of every valid sample of a rollout, -1 for the others, in sample order from the ring's head on. One block.
// ring = {next slot to write, number of transitions held}.
extern "C" __global__ void ring_slots(const unsigned char* __restrict__ valid, const int* __restrict__ ring,
                                      int* __restrict__ slot, int* __restrict__ ring_next, int capacity, int n) {
  FH_SHARED(int, scratch);
  const int head = ring[0], held = ring[1];
  int base = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + static_cast<int>(threadIdx.x);
    const int mine = i < n && valid[i] ? 1 : 0;
    int total = 0;
    const int rank = block_exclusive_scan(mine, &total, scratch);
    if (i < n) slot[i] = mine ? static_cast<int>((static_cast<long long>(head) + base + rank) % capacity) : -1;
    base += total;
  }
  if (threadIdx.x == 0) {
    ring_next[0] = static_cast<int>((static_cast<long long>(head) + base) % capacity);
    ring_next[1] = held + base < capacity ? held + base : capacity;
  }
}

// Block s writes sample s, whose state is row s of `states` and whose next state is row next[s].
extern "C" __global__ void ring_write(const int* __restrict__ slot, const real* __restrict__ states,
                                      const int* __restrict__ next, const int* __restrict__ action,
                                      const real* __restrict__ reward, const real* __restrict__ discount,
                                      real* __restrict__ ring_state, real* __restrict__ ring_next_state,
                                      int* __restrict__ ring_action, real* __restrict__ ring_reward,
                                      real* __restrict__ ring_discount) {
  const long long s = blockIdx.x;
  const long long to = slot[s];
  if (to >= 0) {
    const real* now = states + s * WIDTH;
    const real* then = states + static_cast<long long>(next[s]) * WIDTH;
    for (int j = threadIdx.x; j < WIDTH; j += blockDim.x) {
      ring_state[to * WIDTH + j] = now[j];
      ring_next_state[to * WIDTH + j] = then[j];
    }
    if (threadIdx.x == 0) {
      ring_action[to] = action[s];
      ring_reward[to] = reward[s];
      ring_discount[to] = discount[s];
    }
  }
}

// Block i draws transition i of a batch, uniformly with replacement, and gathers it.
extern "C" __global__ void ring_sample(const int* __restrict__ ring, const unsigned long long* __restrict__ step,
                                       const real* __restrict__ ring_state, const real* __restrict__ ring_next_state,
                                       const int* __restrict__ ring_action, const real* __restrict__ ring_reward,
                                       const real* __restrict__ ring_discount, real* __restrict__ state,
                                       real* __restrict__ next_state, int* __restrict__ action, real* __restrict__ reward,
                                       real* __restrict__ discount, unsigned key0, unsigned key1, unsigned salt) {
  const long long i = blockIdx.x;
  const fh_random4 draw = fh_philox(key0, key1, static_cast<unsigned>(i), salt, static_cast<unsigned>(*step),
                                    static_cast<unsigned>(*step >> 32));
  const long long from =
      static_cast<long long>((static_cast<unsigned long long>(draw.x) * static_cast<unsigned>(ring[1])) >> 32);
  for (int j = threadIdx.x; j < WIDTH; j += blockDim.x) {
    state[i * WIDTH + j] = ring_state[from * WIDTH + j];
    next_state[i * WIDTH + j] = ring_next_state[from * WIDTH + j];
  }
  if (threadIdx.x == 0) {
    action[i] = ring_action[from];
    reward[i] = ring_reward[from];
    discount[i] = ring_discount[from];
  }
}
