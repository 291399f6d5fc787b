// Acrobot-v1 (Sutton 1996, the dynamics of Sutton and Barto's book; the numbers are Gymnasium's): two hanging links of
// 1 m and 1 kg, a torque of -1, 0 or 1 N m at the joint between them; every step costs 1 until the free end is more
// than 1 m above the fixed one. State: angle of the first link from hanging, angle of the second from the first
// [rad], their speeds [rad/s].
#include "common/episode.cuh"
#include "common/platform.cuh"
#include "common/trigonometry.cuh"

#define ACROBOT_PI 3.14159265358979323846

struct Rates {
  real angle1, angle2, speed1, speed2;
};

static __device__ inline Rates rates(real angle1, real angle2, real speed1, real speed2, real torque) {
  // Masses, lengths and moments of inertia are 1, centres of mass lie at 1/2.
  const real g = real(9.8), c = fh_cos(angle2), s = fh_sin(angle2);
  const real d1 = real(3.5) + c, d2 = real(1.25) + real(0.5) * c;
  const real phi2 = real(0.5) * g * fh_sin(angle1 + angle2);
  const real phi1 = -real(0.5) * speed2 * speed2 * s - speed2 * speed1 * s + real(1.5) * g * fh_sin(angle1) + phi2;
  const real ratio = d2 / d1;
  const real up2 = (torque + ratio * phi1 - real(0.5) * speed1 * speed1 * s - phi2) / (real(1.25) - d2 * ratio);
  const Rates r = {speed1, speed2, -(d2 * up2 + phi1) / d1, up2};
  return r;
}

static __device__ inline Rates after(const real* s, const Rates& r, real time, real torque) {
  return rates(s[0] + time * r.angle1, s[1] + time * r.angle2, s[2] + time * r.speed1, s[3] + time * r.speed2, torque);
}

// To [-pi, pi]. A step turns a link by less than 2 pi + 9 pi / 5, so that one turn is enough but for overshoots of the
// integration; those take another.
static __device__ inline real wrap(real angle) {
  const real pi = real(ACROBOT_PI);
  for (int turn = 0; turn < 8; ++turn) angle = angle > pi ? angle - 2 * pi : angle < -pi ? angle + 2 * pi : angle;
  return angle;
}

static __device__ inline real bound(real x, real most) { return x > most ? most : x < -most ? -most : x; }

struct Acrobot {
  static __device__ inline real spread() { return real(0.1); }
  static __device__ inline bool advance(real* s, int action, real* reward) {
    const real torque = real(action - 1), dt = real(0.2);
    // Runge and Kutta's method of order 4, one step.
    const Rates a = rates(s[0], s[1], s[2], s[3], torque), b = after(s, a, dt / 2, torque),
                c = after(s, b, dt / 2, torque), d = after(s, c, dt, torque);
    const real sixth = dt / 6;
    s[0] = wrap(s[0] + sixth * (a.angle1 + 2 * b.angle1 + 2 * c.angle1 + d.angle1));
    s[1] = wrap(s[1] + sixth * (a.angle2 + 2 * b.angle2 + 2 * c.angle2 + d.angle2));
    s[2] = bound(s[2] + sixth * (a.speed1 + 2 * b.speed1 + 2 * c.speed1 + d.speed1), real(4 * ACROBOT_PI));
    s[3] = bound(s[3] + sixth * (a.speed2 + 2 * b.speed2 + 2 * c.speed2 + d.speed2), real(9 * ACROBOT_PI));
    const bool up = -fh_cos(s[0]) - fh_cos(s[0] + s[1]) > real(1);
    *reward = up ? real(0) : real(-1);
    return up;
  }
};

extern "C" __global__ void acrobot_step(const int* __restrict__ action, real* __restrict__ state, int* __restrict__ steps,
                                        unsigned char* __restrict__ ended, double* __restrict__ score,
                                        long long* __restrict__ episodes, const unsigned long long* __restrict__ step,
                                        real* __restrict__ reward, unsigned char* __restrict__ done,
                                        unsigned char* __restrict__ valid, double* __restrict__ equity, int limit,
                                        unsigned key0, unsigned key1, unsigned salt, int accounts) {
  const fh_episodes to = {state, steps, ended, score, episodes, reward, done, valid, equity};
  FH_FOR_ELEMENTS(i, accounts) {
    const fh_random4 draw = fh_philox(key0, key1, static_cast<unsigned>(i), salt, static_cast<unsigned>(*step),
                                      static_cast<unsigned>(*step >> 32));
    fh_episode_step<Acrobot>(to, i, action[i], limit, draw);
  }
}

// x [accounts, 6]: cosine and sine of both angles, speeds.
extern "C" __global__ void acrobot_observe(const real* __restrict__ state, real* __restrict__ x, int accounts) {
  FH_FOR_ELEMENTS(i, accounts) {
    const real* s = state + 4 * i;
    real* to = x + 6 * i;
    to[0] = fh_cos(s[0]);
    to[1] = fh_sin(s[0]);
    to[2] = fh_cos(s[1]);
    to[3] = fh_sin(s[1]);
    to[4] = s[2];
    to[5] = s[3];
  }
}
