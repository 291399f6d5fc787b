// Layout of a Mamba-2 block (Dao & Gu 2024, section 7), one group of B and C. Constants HEADS, HEAD_DIM, STATE.
//   projected  [rows, PROJECTED] = z [CHANNELS] | x [CHANNELS] | B [STATE] | C [STATE] | dt [HEADS]
//   mixed      [rows, MIXED]     = x | B | C, what the convolution goes over
//   state      [accounts, STATE, CHANNELS]
// Episodes: `valid` [steps, accounts]; after a step where it is 0 another episode begins. masked = 0: nowhere.
#pragma once
#include "common/math.cuh"
#include "common/platform.cuh"

#define CHANNELS (HEADS * HEAD_DIM)
#define MIXED (CHANNELS + 2 * STATE)
#define PROJECTED (CHANNELS + MIXED + HEADS)

static __device__ inline real silu(real v) { return v * fh_sigmoid(v); }
static __device__ inline real silu_slope(real v) {
  const real s = fh_sigmoid(v);
  return s * (real(1) + v * (real(1) - s));
}
