#include "critic_errors.hpp"

#include <algorithm>
#include <cmath>
#include <foxhunt/error.hpp>
#include <optional>

#include "../common/text.hpp"
#include "../known_answers/projected.hpp"

namespace foxhunt::trainer {

using known_answers::Table;

namespace {

// Solves A X = Y for a symmetric positive definite A [m, m] and Y [m, k], in place of Y. By Cholesky.
void solve(std::vector<double>& a, std::vector<double>& y, size_t m, size_t k) {
  for (size_t j = 0; j < m; ++j) {
    for (size_t p = 0; p < j; ++p) a[j * m + j] -= a[j * m + p] * a[j * m + p];
    a[j * m + j] = std::sqrt(std::max(a[j * m + j], 1e-300));
    for (size_t i = j + 1; i < m; ++i) {
      for (size_t p = 0; p < j; ++p) a[i * m + j] -= a[i * m + p] * a[j * m + p];
      a[i * m + j] /= a[j * m + j];
    }
  }
  for (size_t c = 0; c < k; ++c) {
    for (size_t i = 0; i < m; ++i) {
      for (size_t p = 0; p < i; ++p) y[i * k + c] -= a[i * m + p] * y[p * k + c];
      y[i * k + c] /= a[i * m + i];
    }
    for (size_t i = m; i-- > 0;) {
      for (size_t p = i + 1; p < m; ++p) y[i * k + c] -= a[p * m + i] * y[p * k + c];
      y[i * k + c] /= a[i * m + i];
    }
  }
}

// [n, width]: the least-squares fit of target [cells, width], as it is at each sample, on (1, h).
std::vector<double> linear_fit(const CriticSamples& s, size_t width, const Table& target) {
  const size_t n = s.cells.size(), H = static_cast<size_t>(s.hidden), m = H + 1;
  std::vector<double> a(m * m, 0), y(m * width, 0), x(m), fit(n * width, 0);
  const auto take = [&](size_t row) {
    x[0] = 1;
    for (size_t j = 0; j < H; ++j) x[j + 1] = s.h[row * H + j];
  };
  for (size_t row = 0; row < n; ++row) {
    take(row);
    const double* t = &target[s.cells[row] * width];
    for (size_t i = 0; i < m; ++i) {
      for (size_t j = 0; j <= i; ++j) a[i * m + j] += x[i] * x[j];
      for (size_t c = 0; c < width; ++c) y[i * width + c] += x[i] * t[c];
    }
  }
  // Features that say the same make A singular: a ridge far below what they carry.
  double trace = 0;
  for (size_t i = 0; i < m; ++i) trace += a[i * m + i];
  for (size_t i = 0; i < m; ++i) a[i * m + i] += 1e-10 * trace / static_cast<double>(m);
  solve(a, y, m, width);
  for (size_t row = 0; row < n; ++row) {
    take(row);
    for (size_t i = 0; i < m; ++i)
      for (size_t c = 0; c < width; ++c) fit[row * width + c] += x[i] * y[i * width + c];
  }
  return fit;
}

std::optional<known_answers::Support> support_of(const config::Config& config, const std::string& head) {
  const config::Config::Section own = config.section(head);
  if (!own.has("v_min") || !own.has("v_max") || !own.has("atoms")) return std::nullopt;
  return known_answers::Support{own.real("v_min"), own.real("v_max"), static_cast<size_t>(own.integer("atoms"))};
}

}  // namespace

CriticError critic_error(const CriticSamples& s, const std::vector<float>& learned, size_t width, const Table& truth,
                         const Table* projected) {
  const Table& reachable = projected ? *projected : truth;
  const std::vector<double> fit = linear_fit(s, width, reachable);
  CriticError e;
  double mean = 0, square = 0;
  for (size_t row = 0; row < s.cells.size(); ++row)
    for (size_t c = 0; c < width; ++c) {
      const size_t at = row * width + c, cell = s.cells[row] * width + c;
      const auto add = [](double& sum, double x) { sum += x * x; };
      add(e.total, learned[at] - truth[cell]);
      add(e.projection, reachable[cell] - truth[cell]);
      add(e.representation, fit[at] - reachable[cell]);
      add(e.optimisation, learned[at] - fit[at]);
      mean += truth[cell];
      square += truth[cell] * truth[cell];
    }
  const double n = static_cast<double>(s.cells.size() * width);
  for (double* sum : {&e.total, &e.projection, &e.representation, &e.optimisation}) *sum = std::sqrt(*sum / n);
  e.spread = std::sqrt(std::max(0.0, square / n - mean / n * (mean / n)));
  return e;
}

std::vector<CriticError> critic_errors(const config::Config& config, const EvaluationResult& evaluation) {
  if (const std::string& shaper = config.text("reward_shaping.plugin"); shaper != "identity")
    throw Error(text("reward_shaping.plugin = ", shaper, ": critics learn of shaped rewards, whose values are not known"));
  const CriticSamples& samples = *evaluation.critics;
  const known_answers::Visits& visits = *evaluation.planted->visits;
  const known_answers::PlantedGame& game = visits.game();
  const double scale = config.real("env.reward_scale"), gamma = config.real("q.gamma");
  const Table policy = visits.policy();
  std::vector<CriticError> errors;
  const auto add = [&](const std::string& name, const char* truth, CriticError e) {
    e.name = name;
    e.truth = truth;
    errors.push_back(std::move(e));
  };
  if (!samples.value.empty())
    add("V_scalar", "V^pi",
        critic_error(samples, samples.value, 1, known_answers::values_of(game, policy, config.real("policy.gamma"), scale).v, nullptr));
  if (samples.heads.empty()) return errors;
  const Table best = known_answers::optimal_values(game, gamma, scale).q, own = known_answers::values_of(game, policy, gamma, scale).q;
  for (const CriticSamples::Head& head : samples.heads) {
    const auto support = support_of(config, head.name);
    std::optional<Table> projected_best, projected_own;
    if (support) {
      projected_best = known_answers::projected_values(game, *support, gamma, scale);
      projected_own = known_answers::projected_values(game, *support, gamma, scale, policy);
    }
    add(head.name, "Q*", critic_error(samples, head.q, known_answers::kActions, best, projected_best ? &*projected_best : nullptr));
    add(head.name, "Q^pi", critic_error(samples, head.q, known_answers::kActions, own, projected_own ? &*projected_own : nullptr));
  }
  return errors;
}

}  // namespace foxhunt::trainer
