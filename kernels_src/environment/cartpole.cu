// CartPole-v1 (Barto, Sutton, Anderson 1983; the numbers are Gymnasium's): a pole on a cart that is pushed left or
// right with 10 N each 20 ms; every step brings 1; it ends with the cart beyond 2.4 m or the pole beyond 12 degrees.
// State and observation: x [m], its speed, the pole's angle [rad], its speed.
#include "common/episode.cuh"
#include "common/platform.cuh"
#include "common/trigonometry.cuh"

struct CartPole {
  static __device__ inline real spread() { return real(0.05); }
  static __device__ inline bool advance(real* s, int action, real* reward) {
    const real gravity = real(9.8), pole_mass = real(0.1), mass = real(1.1), half_length = real(0.5), tau = real(0.02);
    const real force = action == 1 ? real(10) : real(-10);
    const real speed = s[1], turning = s[3], c = fh_cos(s[2]), sine = fh_sin(s[2]);
    const real push = (force + pole_mass * half_length * turning * turning * sine) / mass;
    const real bends = (gravity * sine - c * push) / (half_length * (real(4.0 / 3.0) - pole_mass * c * c / mass));
    const real speeds_up = push - pole_mass * half_length * bends * c / mass;
    // Euler's method: the positions move with the old speeds.
    s[0] += tau * speed;
    s[1] += tau * speeds_up;
    s[2] += tau * turning;
    s[3] += tau * bends;
    *reward = real(1);
    const real most = real(0.20943951023931953);  // 12 degrees
    return s[0] < real(-2.4) || s[0] > real(2.4) || s[2] < -most || s[2] > most;
  }
};

extern "C" __global__ void cartpole_step(const int* __restrict__ action, real* __restrict__ state, int* __restrict__ steps,
                                         unsigned char* __restrict__ ended, double* __restrict__ score,
                                         long long* __restrict__ episodes, const unsigned long long* __restrict__ step,
                                         real* __restrict__ reward, unsigned char* __restrict__ done,
                                         unsigned char* __restrict__ valid, double* __restrict__ equity, int limit,
                                         unsigned key0, unsigned key1, unsigned salt, int accounts) {
  const fh_episodes to = {state, steps, ended, score, episodes, reward, done, valid, equity};
  FH_FOR_ELEMENTS(i, accounts) {
    const fh_random4 draw = fh_philox(key0, key1, static_cast<unsigned>(i), salt, static_cast<unsigned>(*step),
                                      static_cast<unsigned>(*step >> 32));
    fh_episode_step<CartPole>(to, i, action[i], limit, draw);
  }
}
