// The on-policy loss of one sample and its gradient with respect to the policy's logits and the value:
//   - min(rho A, clip(rho, 1 - c, 1 + c) A)        PPO (Schulman et al. 2017, eq. 7)
//   - entropy_weight * H(pi)
//   + distill * KL(softmax(Q / T) || pi)           Q is a constant here
//   + value_weight * max((V - V_target)^2, (clip(V, V_old - v, V_old + v) - V_target)^2)
// averaged over the valid samples. The clip of the value is that of PPO's first implementation; v = 0 leaves it out.
// Constants ACTIONS; MASKED: 1 if `mask` says which actions are legal, and pi, H and KL are over those alone.
#include "common/distribution.cuh"
#include "common/math.cuh"
#include "common/platform.cuh"

// entropy_weight is one value; moments as in advantage.cu; mask [samples, ACTIONS] if MASKED, else anything. `series`
// rows (each [samples]): 0 policy loss, 1 entropy, 2 KL to the ensemble, 3 squared value error, 4 KL of old to new
// (rho - 1 - log rho), 5 whether the ratio was clipped.
extern "C" __global__ void policy_gradient(
    const real* __restrict__ logits, const int* __restrict__ action, const real* __restrict__ old_log_prob,
    const real* __restrict__ advantage, const real* __restrict__ value, const real* __restrict__ old_value,
    const real* __restrict__ value_target, const unsigned char* __restrict__ valid,
    const unsigned char* __restrict__ mask, const real* __restrict__ ensemble_q, const double* __restrict__ moments,
    const real* __restrict__ entropy_weight, real* __restrict__ grad_logits, real* __restrict__ grad_value,
    real* __restrict__ series, real clip, real value_clip, real value_weight, real distill, real temperature,
    int samples, int stride) {
  FH_FOR_ELEMENTS(s, samples) {
    const long long at = static_cast<long long>(s) * ACTIONS;
    const auto legal = [&](int a) { return !MASKED || mask[at + a] != 0; };
    const real count = moments[0] > 1.0 ? real(moments[0]) : real(1);
    const real weight = valid[s] ? real(1) / count : real(0);
    const real deviation = real(moments[2]);
    const real adv = (advantage[s] - real(moments[1])) / (deviation + real(1e-8));
    real lp[ACTIONS], p[ACTIONS], q[ACTIONS];
    log_softmax_row(logits + at, lp, ACTIONS, legal);
    real entropy = real(0);
    for (int a = 0; a < ACTIONS; ++a) {
      p[a] = legal(a) ? fh_exp(lp[a]) : real(0);
      q[a] = ensemble_q[at + a] / temperature;
      entropy -= p[a] * lp[a];
    }
    log_softmax_row(q, q, ACTIONS, legal);
    real kl = real(0);
    for (int a = 0; a < ACTIONS; ++a) {
      const real mass = legal(a) ? fh_exp(q[a]) : real(0);
      kl += mass * (q[a] - lp[a]);
      q[a] = mass;
    }
    const int taken = action[s];
    const real log_ratio = lp[taken] - old_log_prob[s];
    const real ratio = fh_exp(log_ratio);
    const real clipped = fh_min(fh_max(ratio, real(1) - clip), real(1) + clip);
    const real plain = ratio * adv, bounded = clipped * adv;
    const bool active = plain <= bounded;
    const real bonus_weight = entropy_weight[0];
    for (int a = 0; a < ACTIONS; ++a) {
      const real policy = active ? -adv * ratio * ((a == taken ? real(1) : real(0)) - p[a]) : real(0);
      const real bonus = bonus_weight * p[a] * (lp[a] + entropy);
      grad_logits[at + a] = legal(a) ? weight * (policy + bonus + distill * (p[a] - q[a])) : real(0);
    }
    const real error = value[s] - value_target[s];
    const real moved = value[s] - old_value[s];
    const real held = fh_min(fh_max(moved, -value_clip), value_clip);
    const real held_error = old_value[s] + held - value_target[s];
    const bool holds = value_clip > real(0) && held_error * held_error > error * error;
    const real slope = holds ? (held == moved ? held_error : real(0)) : error;
    grad_value[s] = weight * real(2) * value_weight * slope;
    series[s] = active ? -plain : -bounded;
    series[static_cast<long long>(stride) + s] = entropy;
    series[2ll * stride + s] = kl;
    series[3ll * stride + s] = error * error;
    series[4ll * stride + s] = ratio - real(1) - log_ratio;
    series[5ll * stride + s] = clipped != ratio ? real(1) : real(0);
  }
}
