// Chooses an action: from the policy's softmax, or from Q. Constants ACTIONS; MASKED: 1 if `mask` [accounts, ACTIONS]
// says which actions are legal, else it may be anything.
#include "common/boltzmann.cuh"
#include "common/distribution.cuh"
#include "common/philox.cuh"
#include "common/platform.cuh"

// The legal action with the highest score(a, random bits), ties to the lowest index.
template <class Legal, class Score>
static __device__ inline int best_action(unsigned key0, unsigned key1, unsigned element, unsigned salt,
                                         unsigned long long step, Legal legal, Score score) {
  int best = 0;
  bool any = false;
  real best_score = real(0);
  for (int group = 0; group * 4 < ACTIONS; ++group) {
    const fh_random4 draw = fh_philox(key0, key1, element, salt * 16u + static_cast<unsigned>(group),
                                      static_cast<unsigned>(step), static_cast<unsigned>(step >> 32));
    const unsigned bits[4] = {draw.x, draw.y, draw.z, draw.w};
    for (int lane = 0; lane < 4; ++lane) {
      const int a = group * 4 + lane;
      if (a >= ACTIONS) break;
      if (!legal(a)) continue;
      const real mine = score(a, bits[lane]);
      if (!any || mine > best_score) {
        best = a;
        best_score = mine;
      }
      any = true;
    }
  }
  return best;
}

// greedy != 0: argmax, else a draw (Gumbel-max). log_prob is that of the action under the softmax either way.
extern "C" __global__ void select_action(const real* __restrict__ logits, const unsigned char* __restrict__ mask,
                                         const unsigned long long* __restrict__ step, int* __restrict__ action,
                                         real* __restrict__ log_prob, int greedy, unsigned key0, unsigned key1,
                                         unsigned salt, int accounts) {
  FH_FOR_ELEMENTS(i, accounts) {
    const long long at = static_cast<long long>(i) * ACTIONS;
    const auto legal = [&](int a) { return !MASKED || mask[at + a] != 0; };
    real lp[ACTIONS];
    log_softmax_row(logits + at, lp, ACTIONS, legal);
    const int best = best_action(key0, key1, static_cast<unsigned>(i), salt, *step, legal, [&](int a, unsigned bits) {
      return lp[a] + (greedy ? real(0) : fh_gumbel(bits));
    });
    action[i] = best;
    log_prob[i] = lp[best];
  }
}

// From Q [accounts, ACTIONS]. `setting` is one value: epsilon of mode 1, temperature of mode 2.
//   0 greedy
//   1 epsilon-greedy: with probability epsilon any legal action, all alike
//   2 Boltzmann, its temperature relative to the spread of Q (common/boltzmann.cuh)
// log_prob is that of the action under this very choice, for the ratio of an on-policy update.
extern "C" __global__ void select_from_q(const real* __restrict__ q, const unsigned char* __restrict__ mask,
                                         const unsigned long long* __restrict__ step, const real* __restrict__ setting,
                                         int* __restrict__ action, real* __restrict__ log_prob, int mode, unsigned key0,
                                         unsigned key1, unsigned salt, int accounts) {
  FH_FOR_ELEMENTS(i, accounts) {
    const long long at = static_cast<long long>(i) * ACTIONS;
    const auto legal = [&](int a) { return !MASKED || mask[at + a] != 0; };
    int count = 0, best = -1;
    for (int a = 0; a < ACTIONS; ++a) {
      if (!legal(a)) continue;
      ++count;
      if (best < 0 || q[at + a] > q[at + best]) best = a;
    }
    real p[ACTIONS];
    if (mode == 2) {
      boltzmann_row(q + at, p, ACTIONS, setting[0], legal);
    } else {
      const real epsilon = mode == 1 ? setting[0] : real(0);
      for (int a = 0; a < ACTIONS; ++a)
        p[a] = legal(a) ? epsilon / real(count) + (a == best ? real(1) - epsilon : real(0)) : real(0);
    }
    // log 0 is -inf: never the best of the legal ones, unless nothing else is there.
    const int chosen = best_action(key0, key1, static_cast<unsigned>(i), salt, *step, legal, [&](int a, unsigned bits) {
      return fh_log(p[a]) + fh_gumbel(bits);
    });
    action[i] = chosen;
    log_prob[i] = fh_log(p[chosen]);
  }
}
