#include <array>
#include <cmath>

#include "cases.hpp"
#include "kernels/classic_control.hpp"
#include "kernels/manifest.hpp"

// References written from Gymnasium's description of CartPole-v1 and Acrobot-v1.

namespace foxhunt::kernels::test {
namespace {

using State = std::array<double, 4>;

struct Moved {
  State state;
  double reward;
  bool terminal;
};

Moved push_cart(const State& s, int action) {
  const auto [x, v, angle, turning] = s;
  const double force = action == 1 ? 10 : -10, total = 1.1, pole = 0.1, length = 0.5;
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const double temp = (force + pole * length * turning * turning * sine) / total;
  const double angular = (9.8 * sine - cosine * temp) / (length * (4.0 / 3.0 - pole * cosine * cosine / total));
  const double linear = temp - pole * length * angular * cosine / total;
  const State next{x + 0.02 * v, v + 0.02 * linear, angle + 0.02 * turning, turning + 0.02 * angular};
  return {next, 1, std::abs(next[0]) > 2.4 || std::abs(next[2]) > 12 * 2 * M_PI / 360};
}

State link_rates(const State& s, double torque) {
  const double m = 1, l = 1, lc = 0.5, inertia = 1, g = 9.8;
  const auto [a1, a2, v1, v2] = s;
  const double d1 = m * lc * lc + m * (l * l + lc * lc + 2 * l * lc * std::cos(a2)) + 2 * inertia;
  const double d2 = m * (lc * lc + l * lc * std::cos(a2)) + inertia;
  const double phi2 = m * lc * g * std::cos(a1 + a2 - M_PI / 2);
  const double phi1 = -m * l * lc * v2 * v2 * std::sin(a2) - 2 * m * l * lc * v2 * v1 * std::sin(a2) +
                      (m * lc + m * l) * g * std::cos(a1 - M_PI / 2) + phi2;
  const double up2 = (torque + d2 / d1 * phi1 - m * l * lc * v1 * v1 * std::sin(a2) - phi2) /
                     (m * lc * lc + inertia - d2 * d2 / d1);
  return {v1, v2, -(d2 * up2 + phi1) / d1, up2};
}

Moved turn_links(const State& s, int action) {
  const double torque = action - 1, dt = 0.2;
  const auto ahead = [&](const State& rate, double time) {
    State next = s;
    for (size_t k = 0; k < 4; ++k) next[k] += time * rate[k];
    return next;
  };
  const State a = link_rates(s, torque), b = link_rates(ahead(a, dt / 2), torque), c = link_rates(ahead(b, dt / 2), torque),
              d = link_rates(ahead(c, dt), torque);
  State next = s;
  for (size_t k = 0; k < 4; ++k) next[k] += dt / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
  for (size_t k = 0; k < 2; ++k) {
    while (next[k] > M_PI) next[k] -= 2 * M_PI;
    while (next[k] < -M_PI) next[k] += 2 * M_PI;
  }
  next[2] = std::max(-4 * M_PI, std::min(4 * M_PI, next[2]));
  next[3] = std::max(-9 * M_PI, std::min(9 * M_PI, next[3]));
  const bool up = -std::cos(next[0]) - std::cos(next[0] + next[1]) > 1;
  return {next, up ? 0.0 : -1.0, up};
}

void step_account(Arguments& a, size_t i, double spread, Moved (*move)(const State&, int)) {
  double* s = &a["state"][4 * i];
  if (a["ended"][i] != 0) {
    const auto step = static_cast<uint64_t>(a["step"][0]);
    const PhiloxBlock draw =
        philox({static_cast<uint32_t>(a.number("key0")), static_cast<uint32_t>(a.number("key1"))},
               {static_cast<uint32_t>(i), static_cast<uint32_t>(a.number("salt")), static_cast<uint32_t>(step),
                static_cast<uint32_t>(step >> 32)});
    for (int k = 0; k < 4; ++k) s[k] = spread * (2 * ((draw.word[k] >> 9) + 0.5) / 8388608 - 1);
    for (const char* name : {"steps", "score", "ended", "reward", "done", "valid", "equity"}) a[name][i] = 0;
    return;
  }
  const Moved moved = move({s[0], s[1], s[2], s[3]}, static_cast<int>(a["action"][i]));
  std::copy(moved.state.begin(), moved.state.end(), s);
  a["steps"][i] += 1;
  a["score"][i] += moved.reward;
  const double end = moved.terminal ? 1 : a["steps"][i] >= a.number("limit") ? 2 : 0;
  a["episodes"][i] += end != 0;
  a["ended"][i] = a["done"][i] = end;
  a["reward"][i] = moved.reward;
  a["valid"][i] = 1;
  a["equity"][i] = a["score"][i];
}

// Accounts in all phases of their episodes; `spreads`: standard deviations of the four variables.
void step_case(Cases& cases, const fh_kernel& kernel, int64_t n, double actions, const State& spreads, double begins,
               Moved (*move)(const State&, int), const State& limits) {
  Values state = normal(4 * n, 7);
  for (size_t k = 0; k < state.size(); ++k)
    state[k] = std::max(-limits[k % 4], std::min(limits[k % 4], state[k] * spreads[k % 4]));
  KernelCase& c = cases.add(program_kernels(), kernel, "accounts " + std::to_string(n), Grid::elements(n), {},
                            {integers(n, 1, 0, static_cast<int64_t>(actions) - 1), state, integers(n, 2, 0, 499),
                             integers(n, 3, -5, 2), integers(n, 4, -400, 0), integers(n, 5, 0, 100),
                             {0x3'0000'0007}, unwritten(n), unwritten(n), unwritten(n), unwritten(n), {450}, {0x89abcdef},
                             {0xfedcba98}, {3}, {static_cast<double>(n)}},
                            [=](Arguments& a) {
                              for (int64_t i = 0; i < n; ++i) step_account(a, at(i), begins, move);
                            });
  for (double& v : c.arguments["ended"]) v = std::max(v, 0.0);
  if (n > 1) c.arguments["steps"][1] = 449;
  c.large = n > 100;
}

}  // namespace

void classic_control_cases(Cases& cases) {
  for (const int64_t n : {1, 7, 33, 5000}) {
    step_case(cases, cartpole_step, n, 2, {1.5, 1.5, 0.12, 1.5}, 0.05, push_cart, {2.39, 10, 0.209, 10});
  }
  for (const int64_t n : {1, 7, 33, 5000}) {
    step_case(cases, acrobot_step, n, 3, {1.5, 1.5, 3, 6}, 0.1, turn_links, {M_PI, M_PI, 4 * M_PI, 9 * M_PI});
    // At high speeds a step magnifies the rounding of single precision some hundred times.
    cases.list.back().tolerance["state"] = {2e-4, 2e-6};
    cases.list.back().tolerance64["state"] = {1e-9, 1e-9};
  }
  for (const int64_t n : {1, 7, 33})
    cases.add(program_kernels(), acrobot_observe, "accounts " + std::to_string(n), Grid::elements(n), {},
              {normal(4 * n, 9, 2), unwritten(6 * n), {static_cast<double>(n)}}, [=](Arguments& a) {
                for (int64_t i = 0; i < n; ++i) {
                  const double* s = &a["state"][at(4 * i)];
                  const double x[6] = {std::cos(s[0]), std::sin(s[0]), std::cos(s[1]), std::sin(s[1]), s[2], s[3]};
                  std::copy(x, x + 6, &a["x"][at(6 * i)]);
                }
              });
}

}  // namespace foxhunt::kernels::test
