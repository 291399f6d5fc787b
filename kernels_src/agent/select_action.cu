// Draws an action from the policy's softmax (Gumbel-max), or takes its argmax. Constant ACTIONS.
#include "common/distribution.cuh"
#include "common/philox.cuh"
#include "common/platform.cuh"

// greedy != 0: argmax, ties to the lowest index. log_prob is that of the action under the softmax either way.
extern "C" __global__ void select_action(const real* __restrict__ logits, const unsigned long long* __restrict__ step,
                                         int* __restrict__ action, real* __restrict__ log_prob, int greedy,
                                         unsigned key0, unsigned key1, unsigned salt, int accounts) {
  FH_FOR_ELEMENTS(i, accounts) {
    const real* from = logits + static_cast<long long>(i) * ACTIONS;
    real lp[ACTIONS];
    log_softmax_row(from, lp, ACTIONS);
    int best = 0;
    real best_score = real(0);
    for (int group = 0; group * 4 < ACTIONS; ++group) {
      const fh_random4 draw = fh_philox(key0, key1, static_cast<unsigned>(i), salt * 16u + static_cast<unsigned>(group),
                                        static_cast<unsigned>(*step), static_cast<unsigned>(*step >> 32));
      const unsigned bits[4] = {draw.x, draw.y, draw.z, draw.w};
      for (int lane = 0; lane < 4; ++lane) {
        const int a = group * 4 + lane;
        if (a >= ACTIONS) break;
        const real score = lp[a] + (greedy ? real(0) : fh_gumbel(bits[lane]));
        if (a == 0 || score > best_score) {
          best = a;
          best_score = score;
        }
      }
    }
    action[i] = best;
    log_prob[i] = lp[best];
  }
}
