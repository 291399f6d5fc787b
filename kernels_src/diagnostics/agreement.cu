// How far a Q function and the policy agree, per state. Constant ACTIONS.
#include "common/distribution.cuh"
#include "common/math.cuh"
#include "common/platform.cuh"

// `series` rows (each [samples]): 0 Pearson correlation over the actions of Q(s, .) and log pi(. | s), 0 where
// either has no spread; 1 gap max Q - min Q; 2 Q of the action taken; 3 mean over actions of Q.
extern "C" __global__ void q_pi_agreement(const real* __restrict__ q, const real* __restrict__ logits,
                                          const int* __restrict__ action, real* __restrict__ series, int samples) {
  FH_FOR_ELEMENTS(s, samples) {
    const long long at = static_cast<long long>(s) * ACTIONS;
    real lp[ACTIONS];
    log_softmax_row(logits + at, lp, ACTIONS);
    real q_mean = real(0), lp_mean = real(0), high = q[at], low = q[at];
    for (int a = 0; a < ACTIONS; ++a) {
      q_mean += q[at + a];
      lp_mean += lp[a];
      high = q[at + a] > high ? q[at + a] : high;
      low = q[at + a] < low ? q[at + a] : low;
    }
    q_mean /= real(ACTIONS);
    lp_mean /= real(ACTIONS);
    real qq = real(0), pp = real(0), qp = real(0);
    for (int a = 0; a < ACTIONS; ++a) {
      const real dq = q[at + a] - q_mean, dp = lp[a] - lp_mean;
      qq += dq * dq;
      pp += dp * dp;
      qp += dq * dp;
    }
    const real scale = fh_sqrt(qq) * fh_sqrt(pp);
    // A NaN must reach the metric: only a true absence of spread counts as 0.
    const real r = scale == real(0) ? real(0) : qp / scale;
    series[s] = r > real(1) ? real(1) : r < real(-1) ? real(-1) : r;
    series[static_cast<long long>(samples) + s] = high - low;
    series[2ll * samples + s] = q[at + action[s]];
    series[3ll * samples + s] = q_mean;
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
