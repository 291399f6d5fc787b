// shaped = limit * tanh(reward / limit), element by element.
#include "common/math.cuh"
#include "common/platform.cuh"

extern "C" __global__ void soft_clip_rewards(const real* __restrict__ reward, real* __restrict__ shaped, real limit,
                                             int count) {
  FH_FOR_ELEMENTS(i, count) shaped[i] = limit * fh_tanh(reward[i] / limit);
}
