#include "quantile_rig.hpp"

namespace foxhunt::plugins {
namespace {

using quantile::Values;

/// The network in plain double: z(h, tau) for every fraction of every sample.
struct Reference {
  std::vector<Values> weights;  ///< w_phi, b_phi, [w_hidden, b_hidden,] w, b
  int from = 0;

  Reference(const HeadRig& rig, const std::vector<compute::TensorId>& net, int from_) : from(from_) {
    for (const auto id : net) weights.push_back(rig.get(id));
  }
  /// z [batch,samples,actions] for h [batch,H] and tau [batch,samples].
  Values operator()(const Values& h, const Values& tau) const {
    const size_t width = weights[1].size(), cosines = weights[0].size() / width, samples = tau.size() * width / h.size();
    Values embedding;
    for (const double t : tau)
      for (size_t i = 0; i < cosines; ++i) embedding.push_back(std::cos(M_PI * static_cast<double>(i + static_cast<size_t>(from)) * t));
    Values x = quantile::affine(embedding, weights[0], weights[1]);
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::max(x[i], 0.0) * h[i / width / samples * width + i % width];
    if (weights.size() == 6) {
      x = quantile::affine(x, weights[2], weights[3]);
      for (double& v : x) v = std::max(v, 0.0);
    }
    return quantile::affine(x, weights[weights.size() - 2], weights.back());
  }
};

struct Variant {
  const char *select, *hidden;
};
void PrintTo(const Variant& v, std::ostream* out) { *out << v.select << ", hidden " << v.hidden; }

class IqnVariant : public testing::TestWithParam<Variant> {};

TEST_P(IqnVariant, TargetLossAndBiasGradientAgreeWithPlainDouble) {
  const std::string select = GetParam().select;
  for (const auto& [n, n_target, k, from, kappa] : {std::tuple{8, 8, 32, 0, 1.0}, {3, 7, 1, 1, 0.0}}) {
    constexpr size_t batch = 33, actions = 4;
    HeadRig rig("iqn",
                {{"n", std::to_string(n)}, {"n_target", std::to_string(n_target)}, {"k", std::to_string(k)},
                 {"cosine_from", std::to_string(from)}, {"kappa", std::to_string(kappa)}, {"hidden", GetParam().hidden},
                 {"cosines", "16"}, {"select", select}, {"select_temperature", "0.5"}},
                batch, 7, actions);
    fill(rig, actions, 11);
    rig.learn();
    const Reference online(rig, rig.online, from), target_net(rig, rig.target, from);
    const auto tau = rig.get(rig.learn_scratch("tau")), tau_target = rig.get(rig.learn_scratch("tau_target")),
               tau_select = rig.get(rig.learn_scratch("tau_select"));
    ASSERT_EQ(tau_select.size(), batch * static_cast<size_t>(k));
    const auto h_next = rig.get(rig.h_next), z = online(rig.get(rig.h), tau), next = target_net(h_next, tau_target),
               choosing = (select == "double" ? online : target_net)(h_next, tau_select);
    const auto reward = rig.get(rig.reward), discount = rig.get(rig.discount), target = rig.get(rig.target_out),
               loss = rig.get(rig.loss);
    const auto taken = actions_of(rig, actions, 11);
    const size_t m = static_cast<size_t>(n_target), samples = static_cast<size_t>(n), size = target.size() / batch;
    Values bias(actions, 0);
    for (size_t s = 0; s < batch; ++s) {
      const auto q = quantile::means(&choosing[s * static_cast<size_t>(k) * actions], static_cast<size_t>(k), actions);
      const auto y = quantile::target(&next[s * m * actions], m, q, reward[s], discount[s], select, 0.5);
      ASSERT_EQ(y.size(), size);
      for (size_t i = 0; i < size; ++i) EXPECT_NEAR(target[s * size + i], y[i], 1e-4);
      Values mine, fractions;
      for (size_t i = 0; i < samples; ++i) {
        mine.push_back(z[(s * samples + i) * actions + taken[s]]);
        fractions.push_back(tau[s * samples + i]);
      }
      const quantile::Regression r(mine, fractions, y, select == "expected_sarsa", kappa);
      EXPECT_NEAR(loss[s], r.loss, 2e-4 * std::max(1.0, r.loss));
      for (const double g : r.gradient) bias[taken[s]] += g / batch;
    }
    const auto db = rig.get(rig.gradient.back());
    for (size_t a = 0; a < actions; ++a) EXPECT_NEAR(db[a], bias[a], 1e-4);
  }
}

TEST_P(IqnVariant, CentralDifferences) {
  for (const char* kappa : {"1", "0"}) {
    HeadRig rig("iqn",
                {{"n", "3"}, {"n_target", "4"}, {"k", "5"}, {"cosines", "6"}, {"kappa", kappa},
                 {"hidden", GetParam().hidden}, {"select", GetParam().select}, {"select_temperature", "0.5"}},
                5, 4, 3, compute::Profile::real64);
    fill(rig, 3, 5);
    expect_central_differences(rig);
  }
}

INSTANTIATE_TEST_SUITE_P(All, IqnVariant,
                         testing::Values(Variant{"target", "0"}, Variant{"target", "6"}, Variant{"double", "0"},
                                         Variant{"double", "6"}, Variant{"expected_sarsa", "0"},
                                         Variant{"expected_sarsa", "6"}));

TEST(Iqn, InferAgreesWithPlainDouble) {
  for (const char* hidden : {"0", "6"})
    for (const bool random : {false, true})
      for (const int from : {0, 1}) {
        constexpr size_t batch = 17, k = 12, actions = 5;
        HeadRig rig("iqn",
                    {{"k", "12"}, {"hidden", hidden}, {"cosine_from", std::to_string(from)},
                     {"inference", random ? "random" : "midpoints"}},
                    batch, 8, actions, compute::Profile::fast, 2, built_plugins(), {"tau_infer"});
        fill(rig, actions, 3);
        Values tau;
        for (size_t i = 0; i < batch * k; ++i) tau.push_back((2 * static_cast<double>(i % k) + 1) / (2 * k));
        ASSERT_EQ(rig.noise("tau_infer") != 0, random);
        if (random) {
          for (size_t i = 0; i < tau.size(); ++i) tau[i] = static_cast<float>(0.5 + 0.5 * std::sin(static_cast<double>(i)));
          rig.set(rig.noise("tau_infer"), tau);
        }
        rig.infer();
        const auto z = Reference(rig, rig.online, from)(rig.get(rig.h), tau);
        const auto q = rig.output("expected_q"), variance = rig.output("variance_q"), out = rig.output("quantiles");
        for (size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(out[i], z[i], 5e-5);
        for (size_t s = 0; s < batch; ++s) {
          const auto mean = quantile::means(&z[s * k * actions], k, actions);
          for (size_t a = 0; a < actions; ++a) {
            double second = 0;
            for (size_t i = 0; i < k; ++i) second += std::pow(z[(s * k + i) * actions + a] - mean[a], 2) / k;
            EXPECT_NEAR(q[s * actions + a], mean[a], 5e-5);
            EXPECT_NEAR(variance[s * actions + a], second, 2e-4 * std::max(1.0, second));
          }
        }
      }
}

double correlation(const Values& a, const Values& b) {
  const size_t n = std::min(a.size(), b.size());
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < n; ++i) {
    ab += (a[i] - 0.5) * (b[i] - 0.5);
    aa += (a[i] - 0.5) * (a[i] - 0.5);
    bb += (b[i] - 0.5) * (b[i] - 0.5);
  }
  return ab / std::sqrt(aa * bb);
}

TEST(Iqn, FractionsAreUniformIndependentAndNewInEveryStep) {
  HeadRig rig("iqn", {{"k", "8"}, {"inference", "random"}}, 1024, 4, 3);
  fill(rig, 3, 1);
  std::vector<Values> draws;
  for (const double step : {1.0, 2.0, 4294967297.0}) {  // the last two differ in their high halves alone
    rig.set(rig.step, {step});
    rig.learn();
    rig.infer();
    for (const char* name : {"tau", "tau_target", "tau_select"}) draws.push_back(rig.get(rig.learn_scratch(name)));
    draws.push_back(rig.get(rig.tensors.find("heads/head/infer_1024/tau_infer")));
  }
  for (const Values& d : draws) {
    ASSERT_EQ(d.size(), 8192u);
    Values sorted = d;
    std::sort(sorted.begin(), sorted.end());
    double worst = 0;  // Kolmogorov-Smirnov: beyond 1.95 / sqrt(n) once in a thousand
    for (size_t i = 0; i < sorted.size(); ++i)
      worst = std::max(worst, std::abs(sorted[i] - (static_cast<double>(i) + 0.5) / 8192));
    EXPECT_LT(worst, 1.95 / std::sqrt(8192.0));
    EXPECT_GT(sorted.front(), 0);
    EXPECT_LT(sorted.back(), 1);
  }
  for (size_t a = 0; a < draws.size(); ++a)
    for (size_t b = 0; b < a; ++b) EXPECT_LT(std::abs(correlation(draws[a], draws[b])), 4 / std::sqrt(8192.0));
  rig.set(rig.step, {2});
  rig.learn();
  EXPECT_EQ(rig.get(rig.learn_scratch("tau")), draws[4]);
}

const std::vector<std::string> all_fractions{"tau", "tau_target", "tau_select"};

TEST(Iqn, GivenFractionsAreUsedAndTheirOrderDoesNotMatter) {
  const auto results = [](bool reversed) {
    HeadRig rig("iqn", {{"n", "3"}, {"n_target", "5"}, {"k", "4"}}, 2, 6, 3, compute::Profile::fast, 2, built_plugins(),
                all_fractions);
    fill(rig, 3, 4);
    for (const std::string& name : all_fractions) {
      Values tau;
      const size_t samples = rig.count(rig.noise(name)) / 2;
      for (size_t i = 0; i < 2 * samples; ++i) tau.push_back(static_cast<float>((static_cast<double>(i) + 0.3) / (2 * static_cast<double>(samples))));
      for (const size_t s : {size_t{0}, samples})
        if (reversed) std::reverse(tau.begin() + static_cast<std::ptrdiff_t>(s), tau.begin() + static_cast<std::ptrdiff_t>(s + samples));
      rig.set(rig.noise(name), tau);
    }
    rig.learn();
    Values all = rig.get(rig.loss);
    for (const auto id : rig.gradient)
      for (const double g : rig.get(id)) all.push_back(g);
    return all;
  };
  const auto one = results(false), other = results(true);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-5);
}

// Mean over the targets: where all are equal, their number is of no account. Sum over the online fractions.
TEST(Iqn, SumOverOnlineMeanOverTarget) {
  const auto loss = [](const char* n, const char* n_target) {
    HeadRig rig("iqn", {{"n", n}, {"n_target", n_target}, {"kappa", "0"}}, 1, 2, 2);
    rig.set(rig.reward, {3});  // the net is 0: every error is 3, terminated
    rig.learn();
    const auto tau = rig.get(rig.learn_scratch("tau"));
    return rig.get(rig.loss)[0] / (3 * std::accumulate(tau.begin(), tau.end(), 0.0));
  };
  for (const char* n : {"1", "8", "20"})
    for (const char* n_target : {"1", "8", "20"}) EXPECT_NEAR(loss(n, n_target), 1, 1e-6);
}

TEST(Iqn, BadNumbersShowInTheLoss) {
  for (const char* select : {"target", "expected_sarsa"}) {
    HeadRig rig("iqn", {{"select", select}}, 4, 3, 2);
    fill(rig, 2, 2);
    rig.set(rig.reward, {0, std::nan(""), 1, INFINITY});
    rig.learn();
    const auto loss = rig.get(rig.loss);
    EXPECT_TRUE(std::isfinite(loss[0]) && std::isfinite(loss[2]));
    EXPECT_TRUE(std::isnan(loss[1]));
    EXPECT_FALSE(std::isfinite(loss[3]));
  }
  // A weight that went bad is not hidden by a ReLU.
  for (const char* hidden : {"0", "5"}) {
    HeadRig rig("iqn", {{"hidden", hidden}}, 4, 3, 2);
    fill(rig, 2, 2);
    auto bias = rig.get(rig.online[1]);
    bias[0] = std::nan("");
    rig.set(rig.online[1], bias);
    rig.learn();
    rig.infer();
    EXPECT_TRUE(std::isnan(rig.get(rig.loss)[0]));
    EXPECT_TRUE(std::isnan(rig.output("expected_q")[0]));
  }
}

TEST(Iqn, SameBitsWithAnyNumberOfThreads) {
  std::vector<std::vector<double>> first;
  for (const int threads : {1, 2, 3}) {
    HeadRig rig("iqn", {}, 128, 64, 9, compute::Profile::fast, threads);
    fill(rig, 9, 9);
    rig.learn();
    rig.infer();
    std::vector<std::vector<double>> all = {rig.get(rig.loss), rig.get(rig.grad_h), rig.output("quantiles")};
    for (const auto id : rig.gradient) all.push_back(rig.get(id));
    if (threads == 1) first = all;
    EXPECT_EQ(first, all) << threads << " threads";
  }
}

// The head alone learns the quantiles of two known distributions. The batch holds the whole of both; with kappa = 0 the
// minimum of the expected loss are their quantile functions.
TEST(Iqn, LearnsTheQuantilesOfAKnownReturn) {
  constexpr size_t points = 64, k = 8, n = 2;
  const auto uniform = [](double tau) { return 2 * tau - 1; };
  const auto exponential = [](double tau) { return -0.3 * std::log(1 - tau); };
  HeadRig rig("iqn", {{"k", "8"}, {"kappa", "0"}, {"cosines", "16"}}, 2 * points, 16, n);
  fill(rig, n, 12);
  Values h, action, reward;
  for (size_t i = 0; i < 2 * points; ++i) {
    const double tau = (static_cast<double>(i / 2) + 0.5) / points;
    h.insert(h.end(), 16, 1);
    action.push_back(static_cast<double>(i % 2));
    reward.push_back(i % 2 ? exponential(tau) : uniform(tau));
  }
  rig.set(rig.h, h), rig.set(rig.action, action), rig.set(rig.reward, reward);
  rig.set(rig.discount, Values(2 * points, 0));
  train(rig, 4000, 0.01, 1000);
  rig.infer();
  const auto z = rig.output("quantiles");
  for (size_t i = 0; i < k; ++i) {
    const double tau = (2 * static_cast<double>(i) + 1) / (2 * k);
    EXPECT_NEAR(z[i * n], uniform(tau), 0.04) << "tau " << tau;
    EXPECT_NEAR(z[i * n + 1], exponential(tau), 0.04) << "tau " << tau;
  }
  EXPECT_NEAR(rig.output("expected_q")[0], 0, 0.03);
  EXPECT_NEAR(rig.output("expected_q")[1], 0.3, 0.03);
}

}  // namespace
}  // namespace foxhunt::plugins
