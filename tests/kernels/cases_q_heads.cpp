#include <cmath>

#include "../plugins/c51_reference.hpp"
#include "cases.hpp"
#include "plugins/q_heads/c51/kernels.hpp"

namespace foxhunt::kernels::test {
namespace {

const compute::KernelLibrary& c51_kernels() {
  static const compute::KernelLibrary library{
      "plugin c51", {&c51::c51_support, &c51::c51_distributions, &c51::c51_target, &c51::c51_loss, &c51::c51_action_distributions,
                     &c51::c51_action_target, &c51::c51_action_support}, {}};
  return library;
}

struct Shape {
  int64_t batch, actions, atoms;
  double v_min, v_max;

  std::string name() const {
    return std::to_string(batch) + " x " + std::to_string(actions) + " x " + std::to_string(atoms);
  }
  double delta() const { return static_cast<float>((v_max - v_min) / static_cast<double>(atoms - 1)); }
  std::vector<fh_constant> constants() const { return {constant("ACTIONS", actions), constant("ATOMS", atoms)}; }
};

const Shape shapes[] = {{1, 9, 21, -3, 3}, {7, 3, 51, 0, 10}, {33, 4, 7, -1, 1}, {5, 1, 2, -10, 10}, {2, 2, 300, -3, 3}};

void support_cases(Cases& cases) {
  for (const Shape& s : shapes)
    cases.add(c51_kernels(), c51::c51_support, s.name(), Grid::elements(s.atoms), s.constants(),
              {unwritten(s.atoms), {s.v_min}, {s.delta()}}, [=](Arguments& a) {
                for (int64_t i = 0; i < s.atoms; ++i)
                  a["support"][at(i)] = s.v_min + s.delta() * static_cast<double>(i);
              });
}

void distribution_cases(Cases& cases) {
  for (const Shape& s : shapes) {
    const int64_t rows = s.batch * s.actions, z = s.atoms;
    Values logits = normal(rows * z, 1, 3);
    // All mass on one atom; a row without spread.
    logits[0] = 500;
    if (rows > 1)
      for (int64_t i = 0; i < z; ++i) logits[at(z + i)] = -1e6;
    cases.add(c51_kernels(), c51::c51_distributions, s.name(), Grid::elements(rows), s.constants(),
              {logits, unwritten(rows), unwritten(rows), {s.v_min}, {s.delta()}, {static_cast<double>(rows)}},
              [=](Arguments& a) {
                for (int64_t r = 0; r < rows; ++r) {
                  const Values lp = log_softmax(&a["log_probs"][at(r * z)], z);
                  double mean = 0, variance = 0;
                  const auto value = [&](int64_t i) { return s.v_min + s.delta() * static_cast<double>(i); };
                  for (int64_t i = 0; i < z; ++i) mean += std::exp(lp[at(i)]) * value(i);
                  for (int64_t i = 0; i < z; ++i) variance += std::exp(lp[at(i)]) * std::pow(value(i) - mean, 2);
                  std::copy(lp.begin(), lp.end(), &a["log_probs"][at(r * z)]);
                  a["mean"][at(r)] = mean;
                  a["variance"][at(r)] = variance;
                }
              });
    // The unit of an error in a log-probability is that of the logits; the row at -1e6 has steps of 0.06.
    cases.list.back().tolerance = {{"log_probs", {0.1, 3e-6}}, {"mean", {1e-5, 1e-5}}, {"variance", {1e-4, 1e-5}}};
    cases.list.back().tolerance64 = {{"log_probs", {1e-9, 1e-10}}};
  }
}

void target_cases(Cases& cases) {
  for (const Shape& s : shapes)
    for (const char* selection : {"target", "double", "expected_sarsa"}) {
      const int64_t n = s.batch, width = s.actions * s.atoms;
      const double low = static_cast<float>(s.v_min / s.delta()), delta = s.delta();
      const bool online = selection == std::string("double"), mixed = selection == std::string("expected_sarsa");
      // Terminated samples; rewards on atoms, between them, at both ends and far beyond.
      Values discount = flags(n, 4, 0.75);
      for (double& v : discount) v *= 0.97;
      const Values reward = with(normal(n, 3, s.v_max), {0, s.delta(), 1e6, -1e6});
      // Half the blocks that there are samples: most take several in turn, in the same shared memory.
      cases.add(c51_kernels(), c51::c51_target, s.name() + " " + selection, Grid::blocks((n + 1) / 2), s.constants(),
                {normal(n * width, 1, 1.5), normal(n * width, 2, 1.5), reward, discount, unwritten(n * s.atoms), {low},
                 {delta}, {online ? 1.0 : 0.0}, {mixed ? 1.0 : 0.0}, {0.5}, {static_cast<double>(n)}},
                [=](Arguments& a) {
                  const double v_min = low * delta;
                  const c51::Reference reference{at(s.actions), at(s.atoms), v_min,
                                                 v_min + delta * static_cast<double>(s.atoms - 1), selection, 0.5};
                  for (int64_t i = 0; i < n; ++i) {
                    const size_t from = at(i * width);
                    const Values m = reference.target(&a["next_logits"][from], &a["online_logits"][from],
                                                      a["reward"][at(i)], a["discount"][at(i)]);
                    std::copy(m.begin(), m.end(), &a["target"][at(i * s.atoms)]);
                  }
                });
      cases.list.back().tolerance["target"] = {2e-5, 1e-5};
      cases.list.back().tolerance64["target"] = {1e-9, 1e-9};
      // One action alone has no spread to measure a temperature in.
      if (mixed && s.actions == 1) cases.list.pop_back();
    }
}

void loss_cases(Cases& cases) {
  for (const Shape& s : shapes) {
    const int64_t n = s.batch, z = s.atoms, width = s.actions * z;
    Values target;
    for (int64_t i = 0; i < n; ++i) {
      Values row = normal(z, static_cast<uint64_t>(10 + i), 2);
      if (i == 0) row[0] = 300;  // all mass on one atom
      row = log_softmax(row.data(), z);
      for (const double v : row) target.push_back(std::exp(v));
    }
    cases.add(c51_kernels(), c51::c51_loss, s.name(), Grid::blocks((n + 1) / 2), s.constants(),
              {with(normal(n * width, 1, 2), {80}), target, integers(n, 2, 0, s.actions - 1), unwritten(n),
               unwritten(n * width), {0.125}, {static_cast<double>(n)}},
              [=](Arguments& a) {
                for (int64_t i = 0; i < n; ++i) {
                  const auto taken = static_cast<int64_t>(a["action"][at(i)]);
                  double* gradient = &a["grad_logits"][at(i * width)];
                  std::fill(gradient, gradient + width, 0);
                  const Values lp = log_softmax(&a["logits"][at(i * width + taken * z)], z);
                  double loss = 0;
                  for (int64_t k = 0; k < z; ++k) {
                    const double m = a["target"][at(i * z + k)];
                    loss -= m * lp[at(k)];
                    gradient[taken * z + k] = (std::exp(lp[at(k)]) - m) * 0.125;
                  }
                  a["loss"][at(i)] = loss;
                }
              });
    cases.list.back().tolerance["loss"] = {1e-5, 1e-5};
    // The mass of a target in floats is 1 to 1e-7 only, and the kernel takes it for 1.
    cases.list.back().tolerance64["loss"] = {1e-9, 1e-9};
  }
}

// Supports of their own: from wide to narrow, around different centres.
Values lows(const Shape& s) {
  Values low;
  for (int64_t a = 0; a < s.actions; ++a) low.push_back(static_cast<float>(s.v_min + 0.1 * static_cast<double>(a)));
  return low;
}
Values deltas(const Shape& s) {
  Values delta;
  for (int64_t a = 0; a < s.actions; ++a) delta.push_back(static_cast<float>(s.delta() / (1 + 0.5 * static_cast<double>(a))));
  return delta;
}

void action_distribution_cases(Cases& cases) {
  for (const Shape& s : shapes) {
    const int64_t rows = s.batch * s.actions, z = s.atoms;
    cases.add(c51_kernels(), c51::c51_action_distributions, s.name(), Grid::elements(rows), s.constants(),
              {with(normal(rows * z, 1, 3), {500}), lows(s), deltas(s), unwritten(rows), unwritten(rows), {static_cast<double>(rows)}},
              [=](Arguments& a) {
                for (int64_t r = 0; r < rows; ++r) {
                  const Values lp = log_softmax(&a["log_probs"][at(r * z)], z);
                  const double low = a["low"][at(r % s.actions)], delta = a["delta"][at(r % s.actions)];
                  double mean = 0, variance = 0;
                  for (int64_t i = 0; i < z; ++i) mean += std::exp(lp[at(i)]) * (low + delta * static_cast<double>(i));
                  for (int64_t i = 0; i < z; ++i) variance += std::exp(lp[at(i)]) * std::pow(low + delta * static_cast<double>(i) - mean, 2);
                  std::copy(lp.begin(), lp.end(), &a["log_probs"][at(r * z)]);
                  a["mean"][at(r)] = mean;
                  a["variance"][at(r)] = variance;
                }
              });
    cases.list.back().tolerance = {{"log_probs", {1e-4, 3e-6}}, {"mean", {1e-5, 1e-5}}, {"variance", {1e-4, 1e-5}}};
  }
}

void action_target_cases(Cases& cases) {
  for (const Shape& s : shapes)
    for (const bool mixed : {false, true}) {
      if (mixed && s.actions == 1) continue;  // one action alone has no spread to measure a temperature in
      const int64_t n = s.batch, z = s.atoms, width = s.actions * z;
      Values discount = flags(n, 4, 0.75);
      for (double& v : discount) v *= 0.97;
      cases.add(c51_kernels(), c51::c51_action_target, s.name() + (mixed ? " mixed" : ""), Grid::blocks((n + 1) / 2), s.constants(),
                {normal(n * width, 1, 1.5), normal(n * width, 2, 1.5), with(normal(n, 3, s.v_max), {0, s.delta()}), discount,
                 integers(n, 5, 0, s.actions - 1), lows(s), deltas(s), unwritten(n * z), unwritten(2 * n), {mixed ? 1.0 : 0.0}, {0.5},
                 {static_cast<double>(n)}},
                [=](Arguments& a) {
                  const c51::Reference unit{at(s.actions), at(z), 0, static_cast<double>(z - 1), mixed ? "expected_sarsa" : "target", 0.5};
                  for (int64_t i = 0; i < n; ++i) {
                    const auto value = [&](int64_t k, double j) { return a["low"][at(k)] + a["delta"][at(k)] * j; };
                    Values q;
                    for (int64_t k = 0; k < s.actions; ++k)
                      q.push_back(value(k, unit.mean(unit.probabilities(&a["choosing_logits"][at(i * width + k * z)]))));
                    const Values weight = unit.weights(q);
                    const auto taken = static_cast<int64_t>(a["action"][at(i)]);
                    double* m = &a["target"][at(i * z)];
                    std::fill(m, m + z, 0);
                    double first = 0, second = 0;
                    for (int64_t k = 0; k < s.actions; ++k) {
                      const Values p = unit.probabilities(&a["next_logits"][at(i * width + k * z)]);
                      for (int64_t j = 0; j < z; ++j) {
                        const double y = a["reward"][at(i)] + a["discount"][at(i)] * value(k, static_cast<double>(j)), mass = weight[at(k)] * p[at(j)];
                        first += mass * y;
                        second += mass * y * y;
                        const double b = std::clamp((y - a["low"][at(taken)]) / a["delta"][at(taken)], 0.0, static_cast<double>(z - 1));
                        const auto l = std::min(static_cast<int64_t>(b), z - 2);
                        m[l] += mass * (1 - (b - static_cast<double>(l)));
                        m[l + 1] += mass * (b - static_cast<double>(l));
                      }
                    }
                    a["moments"][at(2 * i)] = first;
                    a["moments"][at(2 * i + 1)] = second;
                  }
                });
      cases.list.back().tolerance = {{"target", {3e-5, 1e-5}}, {"moments", {1e-4, 1e-5}}};
      cases.list.back().tolerance64["target"] = {1e-9, 1e-9};
    }
}

void action_support_cases(Cases& cases) {
  for (const Shape& s : shapes) {
    const int64_t n = s.batch;
    const double rate = 0.25, width = 2, narrowest = s.delta();
    Values moments;
    const Values first = normal(n, 1, s.v_max / 2);
    for (const double m : first) moments.insert(moments.end(), {m, static_cast<float>(m * m + 0.1)});
    // Actions up to the last but one: an action that the batch lacks keeps what it has.
    cases.add(c51_kernels(), c51::c51_action_support, s.name(), Grid::blocks((s.actions + 1) / 2), s.constants(),
              {moments, integers(n, 2, 0, std::max<int64_t>(0, s.actions - 2)), same(s.actions, 0.5 * s.v_max),
               same(s.actions, s.v_max * s.v_max), lows(s), deltas(s), {rate}, {width}, {s.v_min}, {s.v_max}, {narrowest},
               {static_cast<double>(n)}},
              [=](Arguments& a) {
                for (int64_t k = 0; k < s.actions; ++k) {
                  double count = 0, one = 0, two = 0;
                  for (int64_t i = 0; i < n; ++i)
                    if (static_cast<int64_t>(a["action"][at(i)]) == k)
                      count += 1, one += a["moments"][at(2 * i)], two += a["moments"][at(2 * i + 1)];
                  if (count == 0) continue;
                  double &mean = a["mean"][at(k)], &square = a["square"][at(k)];
                  mean += rate * (one / count - mean);
                  square += rate * (two / count - square);
                  const double half = std::max(width * std::sqrt(std::max(square - mean * mean, 0.0)), narrowest / 2);
                  const double centre = std::clamp(mean, s.v_min + narrowest / 2, s.v_max - narrowest / 2);
                  a["low"][at(k)] = std::max(centre - half, s.v_min);
                  a["delta"][at(k)] = (std::min(centre + half, s.v_max) - a["low"][at(k)]) / static_cast<double>(s.atoms - 1);
                }
              });
    cases.list.back().tolerance = {{"low", {1e-5, 1e-5}}, {"delta", {1e-5, 1e-5}}};
  }
}

}  // namespace

void q_heads_cases(Cases& cases) {
  action_distribution_cases(cases);
  action_target_cases(cases);
  action_support_cases(cases);
  support_cases(cases);
  distribution_cases(cases);
  target_cases(cases);
  loss_cases(cases);
}

}  // namespace foxhunt::kernels::test
