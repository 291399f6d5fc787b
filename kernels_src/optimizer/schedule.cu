// Values that change from step to step. They are functions of the absolute step alone, so a resumed run continues
// them, and they live in device memory, so a recorded iteration needs no change.
#include "common/platform.cuh"

// Linear from `from` to `to` over `span` steps, constant after; span 0 is `from` for good.
static __device__ inline double linear(double from, double to, double span, double step) {
  if (span <= 0.0) return from;
  const double share = step < span ? step / span : 1.0;
  return from + (to - from) * share;
}

extern "C" __global__ void schedule_value(const unsigned long long* __restrict__ step, real* __restrict__ value,
                                          double from, double to, double span) {
  FH_FOR_ELEMENTS(one, 1) value[one] = real(linear(from, to, span, static_cast<double>(step[one])));
}

extern "C" __global__ void advance_step(unsigned long long* __restrict__ step) {
  FH_FOR_ELEMENTS(one, 1) step[one] += 1;
}
