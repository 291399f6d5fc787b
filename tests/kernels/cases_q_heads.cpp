#include <cmath>

#include "../plugins/c51_reference.hpp"
#include "cases.hpp"
#include "plugins/q_heads/c51/kernels.hpp"

namespace foxhunt::kernels::test {
namespace {

const compute::KernelLibrary& c51_kernels() {
  static const compute::KernelLibrary library{
      "plugin c51", {&c51::c51_support, &c51::c51_distributions, &c51::c51_target, &c51::c51_loss}, {}};
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

}  // namespace

void q_heads_cases(Cases& cases) {
  support_cases(cases);
  distribution_cases(cases);
  target_cases(cases);
  loss_cases(cases);
}

}  // namespace foxhunt::kernels::test
