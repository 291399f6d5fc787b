// The same share of what every action asks for.
#include "common/platform.cuh"

extern "C" __global__ void fixed_size(const real* __restrict__ target_position, real* __restrict__ scale,
                                      real* __restrict__ position, real share, int batch) {
  FH_FOR_ELEMENTS(i, batch) {
    scale[i] = share;
    position[i] = target_position[i] * share;
  }
}
