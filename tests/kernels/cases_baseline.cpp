#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "host/kernels/agent.hpp"
#include "host/kernels/manifest.hpp"

// Values that stand for V in the advantage.

namespace foxhunt::kernels::test {
namespace {

double state_value_of(const double* q, const double* logits, int64_t actions, int mode) {
  if (mode == 2) return *std::max_element(q, q + actions);
  const Values log_p = mode == 0 ? Values(at(actions), -std::log(static_cast<double>(actions))) : log_softmax(logits, actions);
  double value = 0;
  for (int64_t a = 0; a < actions; ++a) value += std::exp(log_p[at(a)]) * q[a];
  return value;
}

void state_value_cases(Cases& cases) {
  for (const auto& [n, actions] : {std::pair<int64_t, int64_t>{1, 9}, {33, 3}, {7, 1}}) {
    const std::string name = std::to_string(n) + " x " + std::to_string(actions);
    const std::vector<fh_constant> constants{constant("ACTIONS", actions)};
    const Values q = normal(n * actions, 1, 3), logits = with(normal(n * actions, 2, 2), {200});
    const double count = static_cast<double>(n);
    for (const int mode : {0, 1, 2})
      cases.add(program_kernels(), state_value, name + " mode " + std::to_string(mode), Grid::elements(n), constants,
                {q, logits, unwritten(n), {static_cast<double>(mode)}, {count}}, [=, n = n, actions = actions](Arguments& a) {
                  for (int64_t i = 0; i < n; ++i)
                    a["value"][at(i)] = state_value_of(&a["q"][at(i * actions)], &a["logits"][at(i * actions)], actions, mode);
                });
    cases.add(program_kernels(), state_value_errors, name, Grid::elements(n), constants,
              {q, logits, normal(n, 3), unwritten(6 * n), {count}}, [=, n = n, actions = actions](Arguments& a) {
                for (int64_t i = 0; i < n; ++i)
                  for (int mode = 0; mode < 3; ++mode) {
                    const double v = state_value_of(&a["q"][at(i * actions)], &a["logits"][at(i * actions)], actions, mode);
                    a["rows"][at(2 * mode * n + i)] = v;
                    a["rows"][at((2 * mode + 1) * n + i)] = a["returns"][at(i)] - v;
                  }
              });
  }
}

void replacement_cases(Cases& cases) {
  const int64_t n = 33;
  const struct {
    double step, alpha;
  } moments[] = {{0, 1}, {100, 1}, {125, 0.75}, {199, 0.01}, {200, 0}, {1e9, 0}};
  for (const auto& m : moments)
    cases.add(program_kernels(), blend_value, "step " + std::to_string(m.step), Grid::elements(n), {},
              {normal(n, 1), normal(n, 2), {m.step}, unwritten(n), {100}, {200}, {static_cast<double>(n)}}, [=](Arguments& a) {
                for (int64_t i = 0; i < n; ++i) a["value"][at(i)] = m.alpha * a["scalar"][at(i)] + (1 - m.alpha) * a["head"][at(i)];
              });
  cases.add(program_kernels(), cut_value, "33", Grid::elements(n), {},
            {with(normal(n, 3, 2), {-1, 1, -50, 50}), unwritten(n), {-1}, {1}, {static_cast<double>(n)}}, [=](Arguments& a) {
              for (int64_t i = 0; i < n; ++i) a["to"][at(i)] = std::clamp(a["from"][at(i)], -1.0, 1.0);
            });
  for (const double held : {99.0, 100.0})
    cases.add(program_kernels(), add_gradient, std::to_string(held), Grid::elements(n), {},
              {normal(n, 4), {5, held}, normal(n, 5), {100}, {static_cast<double>(n)}}, [=](Arguments& a) {
                for (int64_t i = 0; i < n && held >= 100; ++i) a["to"][at(i)] += a["from"][at(i)];
              });
}

}  // namespace

void baseline_cases(Cases& cases) {
  state_value_cases(cases);
  replacement_cases(cases);
}

}  // namespace foxhunt::kernels::test
