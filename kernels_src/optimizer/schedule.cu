// Values that change from step to step. They are functions of the absolute step alone, so a resumed run continues
// them, and they live in device memory, so a recorded iteration needs no change.
#include "common/platform.cuh"

// Linear from `from` to `to` over `span` steps, constant after; span 0 is `from` for good.
static __device__ inline double linear(double from, double to, double span, double step) {
  if (span <= 0.0) return from;
  const double share = step < span ? step / span : 1.0;
  return from + (to - from) * share;
}

// schedule = {policy learning rate, entropy weight, Q learning rate}.
extern "C" __global__ void schedule_values(const unsigned long long* __restrict__ step, real* __restrict__ schedule,
                                           double lr, double lr_end, double lr_span, double entropy,
                                           double entropy_end, double entropy_span, double q_lr) {
  FH_FOR_ELEMENTS(one, 1) {
    const double now = static_cast<double>(step[one]);
    schedule[0] = real(linear(lr, lr_end, lr_span, now));
    schedule[1] = real(linear(entropy, entropy_end, entropy_span, now));
    schedule[2] = real(q_lr);
  }
}

extern "C" __global__ void advance_step(unsigned long long* __restrict__ step) {
  FH_FOR_ELEMENTS(one, 1) step[one] += 1;
}
