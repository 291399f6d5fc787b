// One draw of the return for each state and action, from a head's distribution; several heads' draws add up with their
// weights. The greedy action of the sum is Thompson sampling over the return (Thompson 1933). first != 0 overwrites.
#include "common/philox.cuh"
#include "common/platform.cuh"

// log_probs [n, atoms] of the atoms `support`, n = states * actions: the first atom at which the cumulative probability
// passes a uniform number.
extern "C" __global__ void thompson_categorical(const real* __restrict__ log_probs, const real* __restrict__ support,
                                                const unsigned long long* __restrict__ step, real* __restrict__ sum,
                                                real weight, int first, unsigned key0, unsigned key1, unsigned salt,
                                                int atoms, int n) {
  FH_FOR_ELEMENTS(i, n) {
    const fh_random4 draw = fh_philox(key0, key1, static_cast<unsigned>(i), salt, static_cast<unsigned>(*step),
                                      static_cast<unsigned>(*step >> 32));
    const real u = real(fh_uniform(draw.x));
    const real* row = log_probs + static_cast<long long>(i) * atoms;
    real cumulative = real(0);
    int atom = 0;
    for (int z = 0; z < atoms - 1; ++z) {
      cumulative += fh_exp(row[z]);
      atom = u > cumulative ? z + 1 : atom;
    }
    // A distribution that is no number must give a return that is none.
    const real drawn = cumulative == cumulative ? support[atom] : cumulative;
    sum[i] = (first ? real(0) : sum[i]) + weight * drawn;
  }
}

// quantiles [states, count, actions]: each is as likely as the others.
extern "C" __global__ void thompson_quantiles(const real* __restrict__ quantiles,
                                              const unsigned long long* __restrict__ step, real* __restrict__ sum,
                                              real weight, int first, unsigned key0, unsigned key1, unsigned salt,
                                              int count, int actions, int n) {
  FH_FOR_ELEMENTS(i, n) {
    const fh_random4 draw = fh_philox(key0, key1, static_cast<unsigned>(i), salt, static_cast<unsigned>(*step),
                                      static_cast<unsigned>(*step >> 32));
    const unsigned k = static_cast<unsigned>((static_cast<unsigned long long>(draw.x) * static_cast<unsigned>(count)) >> 32);
    const long long state = i / actions, action = i % actions;
    sum[i] = (first ? real(0) : sum[i]) + weight * quantiles[(state * count + k) * actions + action];
  }
}
