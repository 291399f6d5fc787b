// One step of an account whose task is a state of four numbers and a rule for the next one. An episode that has ended
// is left on the account's *next* step, as in environment/account.cu: the observation in between is the true last one.
#pragma once
#include "common/philox.cuh"

#define FH_RUNS 0
#define FH_TERMINATED 1
#define FH_TRUNCATED 2

// The accounts' state, and what the step writes.
struct fh_episodes {
  real* state;             // [accounts, 4]
  int* steps;              // taken in the episode
  unsigned char* ended;    // how
  double* score;           // rewards of the episode so far
  long long* episodes;     // ended since the run's start
  real* reward;
  unsigned char* done;
  unsigned char* valid;
  double* equity;          // the score behind the step
};

// Task::advance(state, action, &reward) moves the state on and says whether it is a terminal one; a new episode
// begins anywhere within +-Task::spread(). `draw`: of this account and step.
template <class Task>
static __device__ inline void fh_episode_step(const fh_episodes& to, long long i, int action, int limit,
                                              const fh_random4& draw) {
  real* s = to.state + 4 * i;
  const bool anew = to.ended[i] != FH_RUNS;
  if (anew) {
    const unsigned bits[4] = {draw.x, draw.y, draw.z, draw.w};
    for (int k = 0; k < 4; ++k) s[k] = (real(2) * fh_uniform(bits[k]) - real(1)) * Task::spread();
    to.steps[i] = 0;
    to.score[i] = 0.0;
  }
  real reward = real(0);
  unsigned char end = FH_RUNS;
  if (!anew) {
    const bool terminal = Task::advance(s, action, &reward);
    to.steps[i] += 1;
    to.score[i] += reward;
    end = terminal ? FH_TERMINATED : to.steps[i] >= limit ? FH_TRUNCATED : FH_RUNS;
  }
  to.ended[i] = end;
  to.episodes[i] += end != FH_RUNS ? 1 : 0;
  to.reward[i] = reward;
  to.done[i] = end;
  to.valid[i] = anew ? 0 : 1;
  to.equity[i] = to.score[i];
}
