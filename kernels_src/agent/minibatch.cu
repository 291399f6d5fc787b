// Minibatches of a rollout: a random order of its accounts (or of its samples), and what belongs to a part of it.
// Tensors are [horizon, accounts, …]; a minibatch is [horizon, chosen, …] for the accounts that `order` names.
#include "common/philox.cuh"
#include "common/platform.cuh"

// order = a random permutation of 0 … n - 1, each element on its own: a Feistel network keyed by Philox is a bijection of
// the numbers below 4^half_bits >= n, and walking along it until it comes out below n makes it one of 0 … n - 1
// (Black & Rogaway 2002, section 3, "cycle-walking").
extern "C" __global__ void shuffled_order(const unsigned long long* __restrict__ step, int* __restrict__ order,
                                          unsigned key0, unsigned key1, unsigned salt, int half_bits, int n) {
  const unsigned mask = (1u << half_bits) - 1u;
  FH_FOR_ELEMENTS(i, n) {
    unsigned at = static_cast<unsigned>(i);
    do {
      unsigned left = at >> half_bits, right = at & mask;
      for (unsigned round = 0; round < 6; ++round) {
        const unsigned mixed = fh_philox(key0, key1, right, salt * 8u + round, static_cast<unsigned>(*step),
                                         static_cast<unsigned>(*step >> 32)).x & mask;
        const unsigned next = left ^ mixed;
        left = right;
        right = next;
      }
      at = (left << half_bits) | right;
    } while (at >= static_cast<unsigned>(n));
    order[i] = static_cast<int>(at);
  }
}

extern "C" __global__ void gather_rows(const int* __restrict__ order, const real* __restrict__ from,
                                       real* __restrict__ to, int horizon, int accounts, int chosen, int columns) {
  const long long width = static_cast<long long>(chosen) * columns;
  FH_FOR_ELEMENTS(i, horizon * width) {
    const long long t = i / width, column = i % columns;
    const int account = order[(i / columns) % chosen];
    to[i] = from[(t * accounts + account) * columns + column];
  }
}

extern "C" __global__ void gather_samples(
    const int* __restrict__ order, const int* __restrict__ action, const real* __restrict__ log_prob,
    const real* __restrict__ advantage, const real* __restrict__ value, const real* __restrict__ value_target,
    const unsigned char* __restrict__ valid, int* __restrict__ to_action, real* __restrict__ to_log_prob,
    real* __restrict__ to_advantage, real* __restrict__ to_value, real* __restrict__ to_value_target,
    unsigned char* __restrict__ to_valid, int horizon, int accounts, int chosen) {
  FH_FOR_ELEMENTS(i, static_cast<long long>(horizon) * chosen) {
    const long long at = i / chosen * accounts + order[i % chosen];
    to_action[i] = action[at];
    to_log_prob[i] = log_prob[at];
    to_advantage[i] = advantage[at];
    to_value[i] = value[at];
    to_value_target[i] = value_target[at];
    to_valid[i] = valid[at];
  }
}

// gather_rows for flags.
extern "C" __global__ void gather_flags(const int* __restrict__ order, const unsigned char* __restrict__ from,
                                        unsigned char* __restrict__ to, int horizon, int accounts, int chosen,
                                        int columns) {
  const long long width = static_cast<long long>(chosen) * columns;
  FH_FOR_ELEMENTS(i, horizon * width) {
    const long long t = i / width, column = i % columns;
    const int account = order[(i / columns) % chosen];
    to[i] = from[(t * accounts + account) * columns + column];
  }
}
