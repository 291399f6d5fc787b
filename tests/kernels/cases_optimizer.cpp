#include <cmath>

#include "cases.hpp"
#include "kernels/manifest.hpp"
#include "kernels/optimizer.hpp"

namespace foxhunt::kernels::test {
namespace {

void adam_begin_cases(Cases& cases) {
  const struct {
    const char* name;
    int64_t steps_before;
    Values squares, other;
    double clip;
    bool active;
  } settings[] = {{"first step", 0, {0.25}, {}, 0.5, true},
                  {"clipped", 9, {9, 16, 0}, {}, 0.5, true},
                  {"clipped with another group", 9, {9}, {16}, 0.5, true},
                  {"no clip", 1000, {9, 16}, {}, 0, true},
                  {"no gradient", 3, {0, 0}, {}, 0.5, true},
                  {"too few transitions", 9, {9, 16}, {}, 0.5, false},
                  {"too few transitions, never stepped", 0, {1}, {}, 0.5, false},
                  {"NaN", 9, {9, std::nan("")}, {}, 0.5, true}};
  for (const auto& s : settings) {
    const auto before = static_cast<double>(s.steps_before);
    cases.add(program_kernels(), adam_begin, s.name, Grid::elements(1), {},
              {{2.5e-4}, s.squares, s.other.empty() ? Values{7} : s.other, {3, s.active ? 64.0 : 63.0}, {before}, {std::pow(0.9, before), std::pow(0.999, before)},
               unwritten(4), {0.9}, {0.999}, {s.clip}, {static_cast<double>(s.squares.size())},
               {static_cast<double>(s.other.size())}, {64}},
              [=](Arguments& a) {
                const double t = before + (s.active ? 1 : 0);
                double total = 0;
                for (const double v : a["squares"]) total += v;
                for (const double v : s.other) total += v;
                a["t"] = {t};
                a["beta_power"] = {std::pow(0.9, t), std::pow(0.999, t)};
                a["scalars"] = {a["learning_rate"][0] / (1 - std::pow(0.9, t)), 1 / (1 - std::pow(0.999, t)),
                                s.clip > 0 && std::sqrt(total) > s.clip ? s.clip / std::sqrt(total) : 1,
                                s.active ? 1.0 : 0.0};
              })
        .tolerance64["scalars"] = {1e-9, 1e-9};
  }
}

// scalars as adam_begin leaves them at step t.
Values scalars(double t, double scale, bool active) {
  return {2.5e-4 / (1 - std::pow(0.9, t)), 1 / (1 - std::pow(0.999, t)), scale, active ? 1.0 : 0.0};
}

void adam_step_cases(Cases& cases) {
  const auto add = [&](const std::string& name, int64_t n, const Values& gradient, const Values& s, double epsilon) {
    Values v = normal(n, 4);
    for (double& x : v) x *= x;
    cases.add(program_kernels(), adam_step, name, Grid::elements(n), {},
              {gradient, s, normal(n, 2), normal(n, 3, 0.1), v, {0.9}, {0.999}, {epsilon}, {static_cast<double>(n)}},
              [n](Arguments& a) {
                if (a["scalars"][3] == 0) return;
                const double b1 = a.number("beta1"), b2 = a.number("beta2");
                for (int64_t i = 0; i < n; ++i) {
                  const double g = a["gradient"][at(i)] * a["scalars"][2];
                  a["m"][at(i)] = b1 * a["m"][at(i)] + (1 - b1) * g;
                  a["v"][at(i)] = b2 * a["v"][at(i)] + (1 - b2) * g * g;
                  a["theta"][at(i)] -= a["scalars"][0] * a["m"][at(i)] /
                                       (std::sqrt(a["v"][at(i)] * a["scalars"][1]) + a.number("epsilon"));
                }
              });
    cases.list.back().large = n > 1000;
  };
  for (const int64_t n : {1, 7, 33, 5000}) {
    add("n " + std::to_string(n), n, normal(n, 1), scalars(5, 1, true), 1e-8);
    add("clipped, epsilon 0.01, n " + std::to_string(n), n, normal(n, 1), scalars(500, 0.125, true), 0.01);
  }
  add("not active", 33, normal(33, 1), scalars(5, 1, false), 1e-8);
  add("not active, never stepped", 33, normal(33, 1), {INFINITY, INFINITY, 1, 0}, 1e-8);
  add("edges", 33, with(normal(33, 1), {0, -0.0, 1e-30, 1e15, -1e15, std::nan("")}), scalars(5, 1, true), 1e-8);
}

void soft_update_cases(Cases& cases) {
  for (const int64_t n : {1, 7, 33})
    for (const auto& [tau, every, active] :
         {std::tuple{0.1, 1.0, true}, {1.0, 1.0, true}, {0.0, 1.0, true}, {0.1, 1.0, false}, {1.0, 4.0, true}, {1.0, 5.0, true}})
      cases.add(program_kernels(), soft_update,
                "n " + std::to_string(n) + " tau " + std::to_string(tau) + " every " + std::to_string(every) + (active ? "" : " not active"),
                Grid::elements(n), {},
                {with(normal(n, 1), {1}), scalars(5, 1, active), {12}, with(normal(n, 2), {0}), {tau}, {every},
                 {static_cast<double>(n)}},
                [n, active = active, every = every](Arguments& a) {
                  const double t = active && std::fmod(12, every) == 0 ? a.number("tau") : 0;
                  for (int64_t i = 0; i < n; ++i)
                    a["target"][at(i)] = t * a["online"][at(i)] + (1 - t) * a["target"][at(i)];
                });
}

void schedule_cases(Cases& cases) {
  const struct {
    const char* name;
    double step, from, to, span, expected;
  } settings[] = {{"start", 0, 1, 0.25, 1000, 1},      {"half", 500, 1, 0.25, 1000, 0.625},
                  {"end", 1000, 1, 0.25, 1000, 0.25},  {"after", 1e9, 1, 0.25, 1000, 0.25},
                  {"upwards", 250, 0, 8, 1000, 2},     {"no span", 7, 0.5, 0.25, 0, 0.5},
                  {"far", 0x9'0000'0000, 0, 1, 0xC'0000'0000, 0.75}};
  for (const auto& s : settings)
    cases.add(program_kernels(), schedule_value, s.name, Grid::elements(1), {},
              {{s.step}, unwritten(1), {s.from}, {s.to}, {s.span}},
              [=](Arguments& a) { a["value"] = {s.expected}; });
  for (const double step : {0.0, 4294967295.0})
    cases.add(program_kernels(), advance_step, std::to_string(step), Grid::elements(1), {}, {{step}},
              [=](Arguments& a) { a["step"] = {step + 1}; });
}

}  // namespace

void optimizer_cases(Cases& cases) {
  adam_begin_cases(cases);
  adam_step_cases(cases);
  soft_update_cases(cases);
  schedule_cases(cases);
}

}  // namespace foxhunt::kernels::test
