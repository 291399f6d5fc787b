// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011, section 3.3): random numbers as a function of a key and a counter.
// Key: the stream of a named consumer. Counter: (element, salt, step low, step high).
#pragma once
#include "common/math.cuh"
#include "common/platform.cuh"

struct fh_random4 {
  unsigned x, y, z, w;
};

static __device__ inline fh_random4 fh_philox(unsigned key0, unsigned key1, unsigned c0, unsigned c1, unsigned c2,
                                              unsigned c3) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * c0, b = 0xCD9E8D57ull * c2;
    const unsigned n0 = static_cast<unsigned>(b >> 32) ^ c1 ^ key0, n2 = static_cast<unsigned>(a >> 32) ^ c3 ^ key1;
    c1 = static_cast<unsigned>(b);
    c3 = static_cast<unsigned>(a);
    c0 = n0;
    c2 = n2;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  const fh_random4 r = {c0, c1, c2, c3};
  return r;
}

// Uniform in the open interval (0, 1): 23 bits and a half, so that neither end is reached.
static __device__ inline float fh_uniform(unsigned bits) {
  return (static_cast<float>(static_cast<int>(bits >> 9)) + 0.5f) * 1.1920928955078125e-7f;
}
// Standard Gumbel: argmax_a (log p_a + gumbel) is a draw from p.
static __device__ inline float fh_gumbel(unsigned bits) { return -fh_log(-fh_log(fh_uniform(bits))); }
