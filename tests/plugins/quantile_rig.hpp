#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "head_rig.hpp"
#include "quantile_reference.hpp"

// What the tests of the heads iqn and qr_dqn share.

namespace foxhunt::plugins {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Random weights, features, rewards and actions; a quarter of the samples terminates.
inline void fill(HeadRig& rig, int64_t actions, uint64_t seed) {
  uint64_t stream = seed * 100;
  for (const auto& group : {rig.online, rig.target})
    for (const auto id : group) rig.set(id, normal(rig.count(id), ++stream, 0.4));
  for (const auto id : {rig.h, rig.h_next, rig.reward}) rig.set(id, normal(rig.count(id), ++stream));
  std::mt19937_64 random(++stream);
  std::vector<double> action, discount;
  for (int64_t i = 0; i < rig.batch; ++i) {
    action.push_back(static_cast<double>(random() % static_cast<uint64_t>(actions)));
    discount.push_back(random() % 4 == 0 ? 0 : static_cast<double>(0.97f));
  }
  rig.set(rig.action, action);
  rig.set(rig.discount, discount);
  rig.set(rig.step, {7});
}

/// The actions that `fill` chose.
inline std::vector<size_t> actions_of(const HeadRig& rig, int64_t actions, uint64_t seed) {
  std::mt19937_64 random(seed * 100 + 2 * rig.online.size() + 4);
  std::vector<size_t> chosen;
  for (int64_t i = 0; i < rig.batch; ++i, random())
    chosen.push_back(static_cast<size_t>(random() % static_cast<uint64_t>(actions)));
  return chosen;
}

/// d(mean loss)/d(every parameter and h) against central differences. The rig is in double.
inline void expect_central_differences(HeadRig& rig) {
  const auto mean_loss = [&] {
    rig.learn();
    const auto l = rig.get(rig.loss);
    return std::accumulate(l.begin(), l.end(), 0.0) / static_cast<double>(l.size());
  };
  std::vector<std::pair<compute::TensorId, compute::TensorId>> pairs{{rig.h, rig.grad_h}};
  for (size_t i = 0; i < rig.online.size(); ++i) pairs.emplace_back(rig.online[i], rig.gradient[i]);
  for (const auto& [variable, gradient] : pairs) {
    mean_loss();
    const auto analytic = rig.get(gradient);
    auto values = rig.get(variable);
    double size = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const double at = values[i], step = 1e-5;
      values[i] = at + step;
      rig.set(variable, values);
      const double above = mean_loss();
      values[i] = at - step;
      rig.set(variable, values);
      const double below = mean_loss();
      values[i] = at;
      rig.set(variable, values);
      EXPECT_NEAR(analytic[i], (above - below) / (2 * step), 1e-6 * std::max(1e-2, std::abs(analytic[i])))
          << rig.tensors[variable].name << "[" << i << "]";
      size += std::abs(analytic[i]);
    }
    EXPECT_GT(size, 1e-3) << rig.tensors[variable].name << " has no gradient";
  }
}

/// Trains the head alone: Adam on what `learn` gives, with a learning rate that falls to 0 and a copied target net.
inline void train(HeadRig& rig, int updates, double rate, int copy_every) {
  std::vector<std::vector<double>> m, v, weights;
  for (const auto id : rig.online) {
    weights.push_back(rig.get(id));
    m.emplace_back(rig.count(id), 0);
    v.emplace_back(rig.count(id), 0);
  }
  for (int t = 1; t <= updates; ++t) {
    rig.set(rig.step, {static_cast<double>(t)});
    rig.learn();
    const double lr = rate * (1 - static_cast<double>(t) / updates) * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
    for (size_t p = 0; p < weights.size(); ++p) {
      const auto g = rig.get(rig.gradient[p]);
      for (size_t i = 0; i < g.size(); ++i) {
        m[p][i] = 0.9 * m[p][i] + 0.1 * g[i];
        v[p][i] = 0.999 * v[p][i] + 0.001 * g[i] * g[i];
        weights[p][i] -= lr * m[p][i] / (std::sqrt(v[p][i]) + 1e-8);
      }
      rig.set(rig.online[p], weights[p]);
      if (t % copy_every == 0) rig.set(rig.target[p], weights[p]);
    }
  }
}

/// The smallest of the values at which their weights reach the fraction tau.
inline double weighted_quantile(std::vector<std::pair<double, double>> value_weight, double tau) {
  std::sort(value_weight.begin(), value_weight.end());
  double reached = 0;
  for (const auto& [value, weight] : value_weight)
    if ((reached += weight) >= tau) return value;
  return value_weight.back().first;
}

}  // namespace foxhunt::plugins
