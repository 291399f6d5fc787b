// Which next actions a target is made of.
#pragma once
#include "common/boltzmann.cuh"
#include "common/distribution.cuh"
#include "common/platform.cuh"

// Weights of the actions in the bootstrap from their values q (in any unit), held by one thread: Boltzmann
// probabilities, or 1 for the argmax and 0 for the others; ties to the lowest index.
static __device__ inline void bootstrap_weights(const real* q, real* weight, int actions, int boltzmann,
                                                real temperature) {
  if (boltzmann) {
    boltzmann_row(q, weight, actions, temperature, every_action());
  } else {
    const int best = argmax_row(q, actions);
    for (int a = 0; a < actions; ++a) weight[a] = a == best ? real(1) : real(0);
  }
}
