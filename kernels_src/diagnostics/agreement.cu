// How far a Q function and the policy agree, per state. Constant ACTIONS.
#include "common/math.cuh"
#include "common/platform.cuh"

// `series` rows (each [samples]): 0 Pearson correlation over the actions of Q(s, .) and log pi(. | s), 0 where
// either has no spread; 1 gap max Q - min Q; 2 Q of the action taken; 3 mean over actions of Q.
extern "C" __global__ void q_pi_agreement(const real* __restrict__ q, const real* __restrict__ logits,
                                          const int* __restrict__ action, real* __restrict__ series, int samples) {
  FH_FOR_ELEMENTS(s, samples) {
    const long long at = static_cast<long long>(s) * ACTIONS;
    // Relative to the first action: equal values then have no spread at all, not one of rounding. log pi is the
    // logits up to a constant, which a correlation does not see.
    const real *own = q + at, *other = logits + at;
    real q_sum = real(0), logit_sum = real(0), high = own[0], low = own[0];
    for (int a = 0; a < ACTIONS; ++a) {
      q_sum += own[a] - own[0];
      logit_sum += other[a] - other[0];
      high = fh_max(high, own[a]);
      low = fh_min(low, own[a]);
    }
    const real q_mean = q_sum / real(ACTIONS), logit_mean = logit_sum / real(ACTIONS);
    real qq = real(0), pp = real(0), qp = real(0);
    for (int a = 0; a < ACTIONS; ++a) {
      const real dq = own[a] - own[0] - q_mean, dp = other[a] - other[0] - logit_mean;
      qq += dq * dq;
      pp += dp * dp;
      qp += dq * dp;
    }
    const real scale = fh_sqrt(qq) * fh_sqrt(pp);
    // A NaN must reach the metric: only a true absence of spread counts as 0.
    const real r = scale == real(0) ? real(0) : qp / scale;
    series[s] = r > real(1) ? real(1) : r < real(-1) ? real(-1) : r;
    series[static_cast<long long>(samples) + s] = high - low;
    series[2ll * samples + s] = own[action[s]];
    series[3ll * samples + s] = own[0] + q_mean;
  }
}

// Mass on the two edge atoms of the distribution of the action taken.
extern "C" __global__ void edge_mass(const real* __restrict__ log_probs, const int* __restrict__ action,
                                     real* __restrict__ series, int atoms, int samples) {
  FH_FOR_ELEMENTS(s, samples) {
    const long long at = (static_cast<long long>(s) * ACTIONS + action[s]) * atoms;
    series[s] = fh_exp(log_probs[at]) + fh_exp(log_probs[at + atoms - 1]);
  }
}
