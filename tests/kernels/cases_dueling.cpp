#include <cmath>

#include "../plugins/c51_reference.hpp"
#include "cases.hpp"
#include "plugins/q_heads/dueling/kernels.hpp"
#include "plugins/q_heads/dueling_c51/kernels.hpp"
#include "plugins/q_heads/dueling_q/kernels.hpp"

// The heads dueling_q, dueling_c51 and iqn_dueling, and what they share.

namespace foxhunt::kernels::test {
namespace {

const compute::KernelLibrary& dueling_q_kernels() {
  using namespace dueling;
  static const compute::KernelLibrary library{
      "plugin dueling_q",
      {&dueling_compose, &dueling_split, &dueling_add_value, &dueling_value_gradient, &dueling_parts,
       &dueling_q::dueling_q_target, &dueling_q::dueling_q_loss},
      {}};
  return library;
}

const compute::KernelLibrary& dueling_c51_kernels() {
  using namespace dueling_c51;
  static const compute::KernelLibrary library{"plugin dueling_c51", {&dueling_c51_scalar_target, &dueling_c51_broadcast_loss}, {}};
  return library;
}

struct Shape {
  int64_t rows, actions, width;

  std::string name() const {
    return std::to_string(rows) + " x " + std::to_string(actions) + " x " + std::to_string(width);
  }
  int64_t size() const { return rows * actions * width; }
  std::vector<fh_constant> actions_only() const { return {constant("ACTIONS", actions)}; }
  std::vector<fh_constant> with_atoms() const { return {constant("ACTIONS", actions), constant("ATOMS", width)}; }
};

const Shape shapes[] = {{1, 9, 21}, {7, 3, 1}, {33, 1, 5}, {70, 4, 33}};

double real(int64_t v) { return static_cast<double>(v); }

/// Index of (row, action, column) in [rows, actions, width].
size_t at3(const Shape& s, int64_t row, int64_t action, int64_t column) { return at((row * s.actions + action) * s.width + column); }

void stream_cases(Cases& cases) {
  for (const Shape& s : shapes) {
    const int64_t columns = s.rows * s.width;
    const auto mean_over_actions = [s](const Values& a, int64_t row, int64_t column) {
      double sum = 0;
      for (int64_t n = 0; n < s.actions; ++n) sum += a[at3(s, row, n, column)];
      return sum / real(s.actions);
    };
    cases.add(dueling_q_kernels(), dueling::dueling_compose, s.name(), Grid::elements(columns), s.actions_only(),
              {normal(columns, 1), normal(s.size(), 2, 3), unwritten(s.size()), {real(s.rows)}, {real(s.width)}}, [=](Arguments& a) {
                for (int64_t r = 0; r < s.rows; ++r)
                  for (int64_t c = 0; c < s.width; ++c)
                    for (int64_t n = 0; n < s.actions; ++n)
                      a["composed"][at3(s, r, n, c)] =
                          a["v"][at(r * s.width + c)] + a["a"][at3(s, r, n, c)] - mean_over_actions(a["a"], r, c);
              });
    cases.add(dueling_q_kernels(), dueling::dueling_split, s.name(), Grid::elements(columns), s.actions_only(),
              {normal(s.size(), 3, 2), unwritten(columns), unwritten(s.size()), {real(s.rows)}, {real(s.width)}}, [=](Arguments& a) {
                for (int64_t r = 0; r < s.rows; ++r)
                  for (int64_t c = 0; c < s.width; ++c) {
                    const double mean = mean_over_actions(a["composed"], r, c);
                    a["v"][at(r * s.width + c)] = mean * real(s.actions);
                    for (int64_t n = 0; n < s.actions; ++n) a["a"][at3(s, r, n, c)] = a["composed"][at3(s, r, n, c)] - mean;
                  }
              });
    cases.add(dueling_q_kernels(), dueling::dueling_add_value, s.name(), Grid::elements(columns), s.actions_only(),
              {normal(s.rows, 4, 5), normal(columns, 5), {real(s.rows)}, {real(s.width)}}, [=](Arguments& a) {
                for (int64_t i = 0; i < columns; ++i) a["x"][at(i)] += a["value"][at(i / s.width)];
              });
    cases.add(dueling_q_kernels(), dueling::dueling_value_gradient, s.name(), Grid::elements(s.rows), s.actions_only(),
              {normal(columns, 6), unwritten(s.rows), {real(s.rows)}, {real(s.width)}}, [=](Arguments& a) {
                for (int64_t r = 0; r < s.rows; ++r) {
                  a["grad_value"][at(r)] = 0;
                  for (int64_t c = 0; c < s.width; ++c) a["grad_value"][at(r)] += a["grad"][at(r * s.width + c)];
                }
              });
    cases.add(dueling_q_kernels(), dueling::dueling_parts, s.name(), Grid::elements(s.rows), s.actions_only(),
              {normal(s.rows * s.actions, 7, 4), unwritten(s.rows), unwritten(s.rows * s.actions), {real(s.rows)}}, [=](Arguments& a) {
                for (int64_t r = 0; r < s.rows; ++r) {
                  double sum = 0;
                  for (int64_t n = 0; n < s.actions; ++n) sum += a["q"][at(r * s.actions + n)];
                  a["value"][at(r)] = sum / real(s.actions);
                  for (int64_t n = 0; n < s.actions; ++n)
                    a["advantage"][at(r * s.actions + n)] = a["q"][at(r * s.actions + n)] - sum / real(s.actions);
                }
              });
  }
}

void expected_value_cases(Cases& cases) {
  for (const Shape& s : shapes) {
    const int64_t n = s.rows, size = n * s.actions;
    for (const bool mixed : {false, true}) {
      if (mixed && s.actions == 1) continue;  // one action alone has no spread to measure a temperature in
      cases.add(dueling_q_kernels(), dueling_q::dueling_q_target, s.name() + (mixed ? " mixed" : ""), Grid::elements(n),
                s.actions_only(),
                {normal(size, 1), normal(size, 2), normal(n, 3), flags(n, 4, 0.75), unwritten(n), {mixed ? 1.0 : 0.0}, {0.5}, {real(n)}},
                [=](Arguments& a) {
                  const c51::Reference reference{at(s.actions), 2, 0, 1, mixed ? "expected_sarsa" : "target", 0.5};
                  for (int64_t i = 0; i < n; ++i) {
                    const Values q(&a["choosing"][at(i * s.actions)], &a["choosing"][at(i * s.actions)] + s.actions);
                    const Values weight = reference.weights(q);
                    double value = 0;
                    for (int64_t k = 0; k < s.actions; ++k) value += weight[at(k)] * a["next"][at(i * s.actions + k)];
                    a["target"][at(i)] = a["reward"][at(i)] + a["discount"][at(i)] * value;
                  }
                });
    }
    // Errors below and above kappa, of both signs, and one that is exactly 0.
    for (const double kappa : {1.0, 0.25})
      cases.add(dueling_q_kernels(), dueling_q::dueling_q_loss, s.name() + " kappa " + std::to_string(kappa), Grid::elements(n),
                s.actions_only(),
                {with(normal(size, 5, 2), Values(at(s.actions), 0)), with(normal(n, 6), {0}), integers(n, 7, 0, s.actions - 1),
                 unwritten(n), unwritten(size), {kappa}, {0.125}, {real(n)}},
                [=](Arguments& a) {
                  for (int64_t i = 0; i < n; ++i) {
                    const auto taken = static_cast<int64_t>(a["action"][at(i)]);
                    const double u = a["q"][at(i * s.actions + taken)] - a["target"][at(i)];
                    a["loss"][at(i)] = std::abs(u) <= kappa ? u * u / 2 : kappa * (std::abs(u) - kappa / 2);
                    for (int64_t k = 0; k < s.actions; ++k)
                      a["grad_q"][at(i * s.actions + k)] = k == taken ? std::clamp(u, -kappa, kappa) * 0.125 : 0;
                  }
                });
  }
}

void scalar_bootstrap_cases(Cases& cases) {
  for (const Shape& s : shapes) {
    if (s.width < 2) continue;
    const int64_t n = s.rows;
    const double v_min = -3, delta = static_cast<float>(6.0 / real(s.width - 1)), low = static_cast<float>(v_min / delta);
    // On an atom, between two, beyond both ends.
    cases.add(dueling_c51_kernels(), dueling_c51::dueling_c51_scalar_target, s.name(), Grid::elements(n * s.width), s.with_atoms(),
              {with(normal(n, 1, 2), {0, delta, 1e6, -1e6}), flags(n, 2, 0.75), with(normal(n, 3), {0, 0}), with(normal(n, 4), {0, 0}),
               unwritten(n * s.width), {low}, {delta}, {real(n)}},
              [=](Arguments& a) {
                for (int64_t i = 0; i < n; ++i) {
                  const double y = a["reward"][at(i)] + a["discount"][at(i)] * a["value_next"][at(i)] - a["value"][at(i)];
                  const double b = std::clamp(y / delta - low, 0.0, real(s.width - 1));
                  const auto l = std::min(static_cast<int64_t>(b), s.width - 2);
                  for (int64_t j = 0; j < s.width; ++j)
                    a["target"][at(i * s.width + j)] = j == l ? 1 - (b - real(l)) : j == l + 1 ? b - real(l) : 0;
                }
              })
        .tolerance["target"] = {2e-5, 1e-5};
    Values target;
    for (int64_t i = 0; i < n; ++i)
      for (const double v : log_softmax(normal(s.width, static_cast<uint64_t>(20 + i), 2).data(), s.width)) target.push_back(std::exp(v));
    KernelCase& loss = cases.add(
        dueling_c51_kernels(), dueling_c51::dueling_c51_broadcast_loss, s.name(), Grid::blocks((n + 1) / 2), s.with_atoms(),
        {with(normal(s.size(), 5, 2), {80}), target, unwritten(n), unwritten(s.size()), {0.125}, {real(n)}}, [=](Arguments& a) {
          for (int64_t i = 0; i < n; ++i) {
            a["loss"][at(i)] = 0;
            for (int64_t k = 0; k < s.actions; ++k) {
              const Values lp = log_softmax(&a["logits"][at3(s, i, k, 0)], s.width);
              for (int64_t j = 0; j < s.width; ++j) {
                const double m = a["target"][at(i * s.width + j)];
                a["loss"][at(i)] -= m * lp[at(j)] / real(s.actions);
                a["grad_logits"][at3(s, i, k, j)] = (std::exp(lp[at(j)]) - m) * 0.125 / real(s.actions);
              }
            }
          }
        });
    loss.tolerance["loss"] = {1e-5, 1e-5};
    loss.tolerance64["loss"] = {1e-9, 1e-9};
  }
}

}  // namespace

void dueling_cases(Cases& cases) {
  stream_cases(cases);
  expected_value_cases(cases);
  scalar_bootstrap_cases(cases);
}

}  // namespace foxhunt::kernels::test
