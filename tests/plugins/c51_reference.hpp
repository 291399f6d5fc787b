#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace foxhunt::c51 {

/// C51 in plain double precision, with the projection of algorithm 1 written as the scatter of the paper.
struct Reference {
  size_t n, z;
  double v_min, v_max;
  std::string selection;
  double temperature;
  double delta() const { return (v_max - v_min) / static_cast<double>(z - 1); }

  std::vector<double> probabilities(const double* logits) const {
    const double highest = *std::max_element(logits, logits + z);
    std::vector<double> p(z);
    double sum = 0;
    for (size_t i = 0; i < z; ++i) sum += p[i] = std::exp(logits[i] - highest);
    for (double& v : p) v /= sum;
    return p;
  }
  double mean(const std::vector<double>& p) const {
    double m = 0;
    for (size_t i = 0; i < z; ++i) m += p[i] * (v_min + delta() * static_cast<double>(i));
    return m;
  }
  std::vector<double> weights(const std::vector<double>& q) const {
    std::vector<double> w(n, 0);
    if (selection != "expected_sarsa") {
      w[static_cast<size_t>(std::max_element(q.begin(), q.end()) - q.begin())] = 1;
      return w;
    }
    const double mean_q = std::accumulate(q.begin(), q.end(), 0.0) / static_cast<double>(n);
    double variance = 0;
    for (const double v : q) variance += (v - mean_q) * (v - mean_q) / static_cast<double>(n);
    double sum = 0;
    for (size_t a = 0; a < n; ++a)
      sum += w[a] = std::exp((q[a] - mean_q) / (std::sqrt(variance) * temperature));
    for (double& v : w) v /= sum;
    return w;
  }
  std::vector<double> project(const std::vector<double>& p, double reward, double discount) const {
    std::vector<double> m(z, 0);
    for (size_t i = 0; i < z; ++i) {
      const double value = reward + discount * (v_min + delta() * static_cast<double>(i));
      const double b = std::clamp((value - v_min) / delta(), 0.0, static_cast<double>(z - 1));
      const size_t l = std::min(static_cast<size_t>(b), z - 2);
      const double f = b - static_cast<double>(l);
      m[l] += p[i] * (1 - f);
      m[l + 1] += p[i] * f;
    }
    return m;
  }
  std::vector<double> target(const double* next_target, const double* next_online, double reward,
                             double discount) const {
    std::vector<double> q, mixture(z, 0);
    for (size_t a = 0; a < n; ++a)
      q.push_back(mean(probabilities((selection == "double" ? next_online : next_target) + a * z)));
    const std::vector<double> w = weights(q);
    for (size_t a = 0; a < n; ++a) {
      const std::vector<double> p = probabilities(next_target + a * z);
      for (size_t i = 0; i < z; ++i) mixture[i] += w[a] * p[i];
    }
    return project(mixture, reward, discount);
  }
};

/// y = h W + b, rows of h; W [hidden, width].
inline std::vector<double> logits(const std::vector<double>& h, const std::vector<double>& w,
                                  const std::vector<double>& b) {
  const size_t width = b.size(), hidden = w.size() / width, batch = h.size() / hidden;
  std::vector<double> y(batch * width);
  for (size_t s = 0; s < batch; ++s)
    for (size_t j = 0; j < width; ++j) {
      double sum = b[j];
      for (size_t i = 0; i < hidden; ++i) sum += h[s * hidden + i] * w[i * width + j];
      y[s * width + j] = sum;
    }
  return y;
}

}  // namespace foxhunt::c51
