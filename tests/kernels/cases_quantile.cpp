#include <cmath>

#include "../plugins/quantile_reference.hpp"
#include "cases.hpp"
#include "plugins/q_heads/iqn/kernels.hpp"
#include "plugins/q_heads/qr_dqn/kernels.hpp"

// The heads iqn and qr_dqn.

namespace foxhunt::kernels::test {
namespace {

const compute::KernelLibrary& iqn_kernels() {
  using namespace iqn;
  static const compute::KernelLibrary library{"plugin iqn",
                                              {&iqn_draw, &iqn_midpoints, &iqn_cosines, &iqn_modulate,
                                               &iqn_modulate_mean, &iqn_modulate_backward, &iqn_relu,
                                               &iqn_relu_backward, &iqn_fold, &iqn_moments, &iqn_target, &iqn_loss},
                                              {}};
  return library;
}

const compute::KernelLibrary& qr_kernels() {
  using namespace qr_dqn;
  static const compute::KernelLibrary library{"plugin qr_dqn", {&qr_moments, &qr_target, &qr_loss}, {}};
  return library;
}

struct Shape {
  int64_t batch, samples, actions, hidden, cosines;
  int from;

  std::string name() const {
    return std::to_string(batch) + " x " + std::to_string(samples) + " x " + std::to_string(actions);
  }
  int64_t rows() const { return batch * samples; }
  std::vector<fh_constant> constants() const {
    return {constant("ACTIONS", actions), constant("HIDDEN", hidden), constant("COSINES", cosines),
            constant("COSINE_FROM", from)};
  }
  std::vector<fh_constant> qr_constants() const {
    return {constant("ACTIONS", actions), constant("QUANTILES", samples)};
  }
};

const Shape shapes[] = {{1, 1, 9, 33, 64, 0}, {7, 8, 3, 7, 5, 1}, {33, 3, 1, 40, 1, 0}, {5, 33, 2, 16, 70, 0}};

double real(int64_t v) { return static_cast<double>(v); }
double relu(double v) { return std::max(v, 0.0); }
Values fractions(int64_t n, uint64_t seed) {
  Values tau = normal(n, seed);
  for (double& v : tau) v = 1 / (1 + std::exp(-v));
  return tau;
}
/// Half the blocks that there are samples: most take several in turn.
Grid half(int64_t n) { return Grid::blocks((n + 1) / 2); }

void fraction_cases(Cases& cases) {
  for (const Shape& s : shapes) {
    const int64_t n = s.rows();
    cases.add(iqn_kernels(), iqn::iqn_draw, s.name(), Grid::elements((n + 3) / 4), s.constants(),
              {{real(int64_t{5} << 33 | 9)}, unwritten(n), {123}, {456}, {7}, {real(n)}}, [=](Arguments& a) {
                for (int64_t i = 0; i < n; ++i) {
                  const PhiloxBlock b = philox({123, 456}, {static_cast<uint32_t>(i / 4), 7, 9, 10});
                  a["tau"][at(i)] = (static_cast<double>(b.word[i % 4] >> 9) + 0.5) * 0x1p-23;
                }
              });
    cases.add(iqn_kernels(), iqn::iqn_midpoints, s.name(), Grid::elements(n), s.constants(), {unwritten(n), {real(n)}},
              [=](Arguments& a) {
                for (int64_t i = 0; i < n; ++i) a["tau"][at(i)] = real(2 * i + 1) / real(2 * n);
              });
    cases.add(iqn_kernels(), iqn::iqn_cosines, s.name(), half(n), s.constants(),
              {with(fractions(n, 1), {1, 0, 0.5, 0.99999994}), unwritten(n * s.cosines), {real(n)}}, [=](Arguments& a) {
                for (int64_t r = 0; r < n; ++r)
                  for (int64_t i = 0; i < s.cosines; ++i)
                    a["cosines"][at(r * s.cosines + i)] = std::cos(M_PI * real(i + s.from) * a["tau"][at(r)]);
              });
    cases.list.back().tolerance["cosines"] = {3e-7, 0};
    cases.list.back().tolerance64["cosines"] = {1e-13, 0};
  }
}

void modulate_cases(Cases& cases) {
  for (const Shape& s : shapes) {
    const int64_t w = s.hidden, k = s.samples, all = s.rows() * w;
    for (const bool shared : {false, true})
      cases.add(iqn_kernels(), iqn::iqn_modulate, s.name() + (shared ? " shared" : ""), half(s.batch), s.constants(),
                {normal(s.batch * w, 1), with(normal(shared ? k * w : all, 2), {0, std::nan("")}), unwritten(all),
                 {real(k)}, {shared ? 1.0 : 0.0}, {real(s.batch)}},
                [=](Arguments& a) {
                  for (int64_t i = 0; i < all; ++i) {
                    const double pre = a["pre"][at(shared ? i % (k * w) : i)];
                    a["x"][at(i)] = a["h"][at(i / w / k * w + i % w)] * (pre < 0 ? 0 : pre);
                  }
                });
    cases.add(iqn_kernels(), iqn::iqn_modulate_mean, s.name(), half(s.batch), s.constants(),
              {normal(s.batch * w, 1), normal(all, 2), unwritten(s.batch * w), {real(k)}, {real(s.batch)}},
              [=](Arguments& a) {
                for (int64_t i = 0; i < s.batch * w; ++i) {
                  double sum = 0;
                  for (int64_t j = 0; j < k; ++j) sum += relu(a["pre"][at((i / w * k + j) * w + i % w)]);
                  a["x"][at(i)] = a["h"][at(i)] * sum / real(k);
                }
              });
    cases.list.back().tolerance["x"] = {4e-6, 4e-6};
    cases.add(iqn_kernels(), iqn::iqn_modulate_backward, s.name(), half(s.batch), s.constants(),
              {normal(s.batch * w, 1), with(normal(all, 2), {0}), normal(all, 3), unwritten(s.batch * w), {real(k)},
               {real(s.batch)}},
              [=](Arguments& a) {
                std::fill(a["dh"].begin(), a["dh"].end(), 0);
                for (int64_t i = 0; i < all; ++i) {
                  const size_t of = at(i / w / k * w + i % w);
                  const double pre = a["pre"][at(i)], d = a["dx"][at(i)];
                  a["dh"][of] += d * relu(pre);
                  a["dx"][at(i)] = pre > 0 ? d * a["h"][of] : 0;
                }
              });
    cases.list.back().tolerance["dh"] = {1e-5, 1e-5};
  }
}

void layer_cases(Cases& cases) {
  for (const Shape& s : shapes) {
    const int64_t n = s.rows() * s.hidden, k = s.samples, a_count = s.actions, columns = k * a_count;
    cases.add(iqn_kernels(), iqn::iqn_relu, s.name(), Grid::elements(n), s.constants(),
              {with(normal(n, 1), {0, std::nan("")}), {real(s.rows())}, {real(s.hidden)}}, [=](Arguments& a) {
                for (double& v : a["y"]) v = v < 0 ? 0 : v;
              });
    cases.add(iqn_kernels(), iqn::iqn_relu_backward, s.name(), Grid::elements(n), s.constants(),
              {with(normal(n, 1), {0}), normal(n, 2), {real(s.rows())}, {real(s.hidden)}}, [=](Arguments& a) {
                for (int64_t i = 0; i < n; ++i)
                  if (a["y"][at(i)] <= 0) a["dy"][at(i)] = 0;
              });
    cases.add(iqn_kernels(), iqn::iqn_fold, s.name(), Grid::elements(s.hidden * columns), s.constants(),
              {normal(k * s.hidden, 1), normal(s.hidden * a_count, 2), normal(a_count, 3), unwritten(s.hidden * columns),
               unwritten(columns), {real(k)}},
              [=](Arguments& a) {
                for (int64_t j = 0; j < s.hidden; ++j)
                  for (int64_t i = 0; i < columns; ++i)
                    a["folded"][at(j * columns + i)] =
                        relu(a["pre"][at(i / a_count * s.hidden + j)]) * a["w"][at(j * a_count + i % a_count)];
                for (int64_t i = 0; i < columns; ++i) a["folded_bias"][at(i)] = a["b"][at(i % a_count)];
              });
  }
}

void moment_cases(Cases& cases) {
  for (const Shape& s : shapes) {
    const int64_t k = s.samples, n = s.actions, rows = s.batch * n;
    const auto reference = [=](Arguments& a) {
      for (int64_t r = 0; r < rows; ++r) {
        double mean = 0, variance = 0;
        const auto z = [&](int64_t i) { return a["z"][at((r / n * k + i) * n + r % n)]; };
        for (int64_t i = 0; i < k; ++i) mean += z(i) / real(k);
        for (int64_t i = 0; i < k; ++i) variance += (z(i) - mean) * (z(i) - mean) / real(k);
        a["mean"][at(r)] = mean;
        a["variance"][at(r)] = variance;
      }
    };
    const Values z = normal(rows * k, 1, 3);
    const Grid grid = Grid::elements(rows);
    cases.add(iqn_kernels(), iqn::iqn_moments, s.name(), grid, s.constants(),
              {z, unwritten(rows), unwritten(rows), {real(k)}, {real(rows)}}, reference);
    cases.list.back().tolerance = {{"mean", {4e-6, 4e-6}}, {"variance", {1e-5, 1e-5}}};
    cases.add(qr_kernels(), qr_dqn::qr_moments, s.name(), grid, s.qr_constants(),
              {z, unwritten(rows), unwritten(rows), {real(rows)}}, reference);
    cases.list.back().tolerance = {{"mean", {4e-6, 4e-6}}, {"variance", {1e-5, 1e-5}}};
  }
}

void target_cases(Cases& cases) {
  for (const Shape& s : shapes)
    for (const bool mixed : {false, true})
      for (const int64_t draws : {int64_t{1}, s.samples, int64_t{32}}) {
        const int64_t n = s.batch, k = s.samples, size = mixed ? 2 * s.actions * k : k;
        const std::string name = s.name() + " by " + std::to_string(draws) + (mixed ? " mixed" : "");
        Values choosing = normal(n * draws * s.actions, 2);
        // Sample 0: no action is better than another.
        std::fill(choosing.begin(), choosing.begin() + draws * s.actions, 0.5);
        Values discount = flags(n, 4, 0.75);
        for (double& v : discount) v *= 0.97;
        const double flag = mixed ? 1 : 0;
        const auto reference = [=](Arguments& a) {
          for (int64_t i = 0; i < n; ++i) {
            const Values q = quantile::means(&a["choosing"][at(i * draws * s.actions)], at(draws), at(s.actions));
            const Values y = quantile::target(&a["next"][at(i * k * s.actions)], at(k), q, a["reward"][at(i)],
                                              a["discount"][at(i)], mixed ? "expected_sarsa" : "target", 0.5);
            std::copy(y.begin(), y.end(), &a["target"][at(i * size)]);
          }
        };
        const Values next = normal(n * k * s.actions, 1), reward = normal(n, 3);
        cases.add(iqn_kernels(), iqn::iqn_target, name, half(n), s.constants(),
                  {next, choosing, reward, discount, unwritten(n * size), {real(k)}, {real(draws)}, {flag}, {0.5},
                   {real(n)}},
                  reference);
        cases.list.back().tolerance["target"] = {1e-5, 1e-5};
        if (draws != k) continue;
        cases.add(qr_kernels(), qr_dqn::qr_target, name, half(n), s.qr_constants(),
                  {next, choosing, reward, discount, unwritten(n * size), {flag}, {0.5}, {real(n)}}, reference);
        cases.list.back().tolerance["target"] = {1e-5, 1e-5};
      }
}

void loss_cases(Cases& cases) {
  for (const Shape& s : shapes)
    for (const bool mixed : {false, true})
      for (const double kappa : {0.0, 0.25, 1.0}) {
        const int64_t n = s.batch, k = s.samples, width = k * s.actions;
        const auto add = [&](const compute::KernelLibrary& library, const fh_kernel& kernel, int64_t targets,
                             std::vector<fh_constant> constants, bool given_tau) {
          // Weighted: the values of all actions, then their weights.
          const int64_t values = mixed ? s.actions * targets : targets;
          Values target;
          for (int64_t i = 0; i < n; ++i) {
            const Values y = normal(values, static_cast<uint64_t>(10 + i), 1.5);
            target.insert(target.end(), y.begin(), y.end());
            if (!mixed) continue;
            const Values w = log_softmax(y.data(), values);
            for (const double v : w) target.push_back(std::exp(v));
          }
          Values z = normal(n * width, 1);
          // Where the error is exactly 0.
          for (int64_t a = 0; a < s.actions; ++a) z[at(a)] = target[0];
          std::vector<Values> arguments{z, target, integers(n, 2, 0, s.actions - 1), unwritten(n), unwritten(n * width)};
          if (given_tau) {
            arguments.insert(arguments.begin() + 1, with(fractions(n * k, 5), {0, 1}));
            arguments.insert(arguments.end(), {{real(k)}, {real(targets)}});
          }
          arguments.insert(arguments.end(), {{mixed ? 1.0 : 0.0}, {kappa}, {0.125}, {real(n)}});
          cases.add(library, kernel,
                    s.name() + " to " + std::to_string(targets) + " kappa " + std::to_string(kappa) +
                        (mixed ? " mixed" : ""),
                    half(n), std::move(constants), std::move(arguments), [=](Arguments& a) {
                      const int64_t size = mixed ? 2 * values : values;
                      std::fill(a["grad_z"].begin(), a["grad_z"].end(), 0);
                      for (int64_t i = 0; i < n; ++i) {
                        Values mine, tau;
                        const auto taken = static_cast<int64_t>(a["action"][at(i)]);
                        for (int64_t j = 0; j < k; ++j) {
                          mine.push_back(a["z"][at(i * width + j * s.actions + taken)]);
                          tau.push_back(given_tau ? a["tau"][at(i * k + j)] : real(2 * j + 1) / real(2 * k));
                        }
                        const auto from = a["target"].begin() + i * size;
                        const quantile::Regression r(mine, tau, Values(from, from + size), mixed, kappa);
                        a["loss"][at(i)] = r.loss;
                        for (int64_t j = 0; j < k; ++j)
                          a["grad_z"][at(i * width + j * s.actions + taken)] = r.gradient[at(j)] * 0.125;
                      }
                    });
          cases.list.back().tolerance["loss"] = {1e-5, 1e-5};
        };
        add(iqn_kernels(), iqn::iqn_loss, k, s.constants(), true);
        add(iqn_kernels(), iqn::iqn_loss, k + 18, s.constants(), true);
        add(qr_kernels(), qr_dqn::qr_loss, k, s.qr_constants(), false);
      }
}

}  // namespace

void quantile_cases(Cases& cases) {
  fraction_cases(cases);
  modulate_cases(cases);
  layer_cases(cases);
  moment_cases(cases);
  target_cases(cases);
  loss_cases(cases);
}

}  // namespace foxhunt::kernels::test
