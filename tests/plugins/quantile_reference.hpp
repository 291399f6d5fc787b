#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

/// Quantile regression in plain double precision, written from the formulas of Dabney et al. 2018a and 2018b.
namespace foxhunt::quantile {

using Values = std::vector<double>;

inline double huber(double u, double tau, double kappa) {
  const double asymmetry = std::abs(tau - (u < 0 ? 1 : 0)), size = std::abs(u);
  if (kappa == 0) return asymmetry * size;
  return asymmetry * (size <= kappa ? 0.5 * u * u : kappa * (size - 0.5 * kappa)) / kappa;
}
inline double huber_slope(double u, double tau, double kappa) {
  const double asymmetry = std::abs(tau - (u < 0 ? 1 : 0)), sign = u < 0 ? -1 : u > 0 ? 1 : 0;
  if (kappa == 0) return asymmetry * sign;
  return asymmetry * (std::abs(u) <= kappa ? u : kappa * sign) / kappa;
}

/// Weights of the actions in the bootstrap.
inline Values action_weights(const Values& q, const std::string& select, double temperature) {
  Values w(q.size(), 0);
  if (select != "expected_sarsa") {
    w[static_cast<size_t>(std::max_element(q.begin(), q.end()) - q.begin())] = 1;
    return w;
  }
  const double n = static_cast<double>(q.size()), mean = std::accumulate(q.begin(), q.end(), 0.0) / n;
  double variance = 0, sum = 0;
  for (const double v : q) variance += (v - mean) * (v - mean) / n;
  const double spread = std::sqrt(variance);
  for (size_t a = 0; a < q.size(); ++a)
    sum += w[a] = spread < 1e-12 ? 1 : std::exp((q[a] - mean) / (spread * temperature));
  for (double& v : w) v /= sum;
  return w;
}

/// Mean over the first index of rows [count, actions].
inline Values means(const double* rows, size_t count, size_t actions) {
  Values q(actions, 0);
  for (size_t k = 0; k < count; ++k)
    for (size_t a = 0; a < actions; ++a) q[a] += rows[k * actions + a] / static_cast<double>(count);
  return q;
}

/// As a head's target: [targets], or in expected Sarsa values [actions,targets] and then weights of the same shape.
inline Values target(const double* next, size_t targets, const Values& q, double reward, double discount,
                     const std::string& select, double temperature) {
  const size_t actions = q.size();
  const Values w = action_weights(q, select, temperature);
  const auto value = [&](size_t j, size_t a) { return reward + discount * next[j * actions + a]; };
  Values y;
  if (select != "expected_sarsa") {
    const auto best = static_cast<size_t>(std::max_element(w.begin(), w.end()) - w.begin());
    for (size_t j = 0; j < targets; ++j) y.push_back(value(j, best));
    return y;
  }
  for (size_t a = 0; a < actions; ++a)
    for (size_t j = 0; j < targets; ++j) y.push_back(value(j, a));
  for (size_t a = 0; a < actions; ++a)
    for (size_t j = 0; j < targets; ++j) y.push_back(w[a] / static_cast<double>(targets));
  return y;
}

/// Loss of one sample and its gradient: the taken action's quantiles z(i) at fractions tau[i], the target as above.
struct Regression {
  double loss = 0;
  Values gradient;  ///< d loss / dz(i)

  Regression(const Values& z, const Values& tau, const Values& target, bool weighted, double kappa)
      : gradient(z.size(), 0) {
    const size_t m = weighted ? target.size() / 2 : target.size();
    for (size_t i = 0; i < z.size(); ++i)
      for (size_t j = 0; j < m; ++j) {
        const double w = weighted ? target[m + j] : 1 / static_cast<double>(m), u = target[j] - z[i];
        loss += w * huber(u, tau[i], kappa);
        gradient[i] -= w * huber_slope(u, tau[i], kappa);
      }
  }
};

/// y[rows,columns] = x[rows,k] W[k,columns] + b.
inline Values affine(const Values& x, const Values& w, const Values& b) {
  const size_t columns = b.size(), k = w.size() / columns, rows = x.size() / k;
  Values y(rows * columns);
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) {
      double sum = b[c];
      for (size_t i = 0; i < k; ++i) sum += x[r * k + i] * w[i * columns + c];
      y[r * columns + c] = sum;
    }
  return y;
}

}  // namespace foxhunt::quantile
