#include "quantile_rig.hpp"

namespace foxhunt::plugins {
namespace {

class QrSelection : public testing::TestWithParam<const char*> {};

TEST_P(QrSelection, TargetLossAndGradientsAgreeWithPlainDouble) {
  const std::string select = GetParam();
  for (const auto& [n, k, kappa] : {std::tuple{4, 32, 1.0}, {9, 5, 0.0}, {1, 1, 0.3}}) {
    const auto actions = static_cast<size_t>(n), quantiles = static_cast<size_t>(k);
    HeadRig rig("qr_dqn",
                {{"quantiles", std::to_string(k)}, {"kappa", std::to_string(kappa)}, {"select", select},
                 {"select_temperature", "0.5"}},
                33, 7, n);
    fill(rig, n, 11);
    rig.learn();
    const size_t width = actions * quantiles, size = rig.count(rig.target_out) / 33;
    const auto z = quantile::affine(rig.get(rig.h), rig.get(rig.online[0]), rig.get(rig.online[1]));
    const auto next = quantile::affine(rig.get(rig.h_next), rig.get(rig.target[0]), rig.get(rig.target[1]));
    const auto next_online = quantile::affine(rig.get(rig.h_next), rig.get(rig.online[0]), rig.get(rig.online[1]));
    const auto reward = rig.get(rig.reward), discount = rig.get(rig.discount), target = rig.get(rig.target_out),
               loss = rig.get(rig.loss);
    const auto taken = actions_of(rig, n, 11);
    quantile::Values bias(width, 0), tau;
    for (size_t i = 0; i < quantiles; ++i) tau.push_back((2 * static_cast<double>(i) + 1) / (2.0 * k));
    for (size_t s = 0; s < 33; ++s) {
      const auto q = quantile::means(&(select == "double" ? next_online : next)[s * width], quantiles, actions);
      const auto y = quantile::target(&next[s * width], quantiles, q, reward[s], discount[s], select, 0.5);
      ASSERT_EQ(y.size(), size);
      for (size_t i = 0; i < size; ++i) EXPECT_NEAR(target[s * size + i], y[i], 2e-5);
      quantile::Values mine;
      for (size_t i = 0; i < quantiles; ++i) mine.push_back(z[s * width + i * actions + taken[s]]);
      const quantile::Regression r(mine, tau, y, select == "expected_sarsa", static_cast<float>(kappa));
      EXPECT_NEAR(loss[s], r.loss, 1e-4 * std::max(1.0, r.loss));
      for (size_t i = 0; i < quantiles; ++i) bias[i * actions + taken[s]] += r.gradient[i] / 33;
    }
    const auto db = rig.get(rig.gradient[1]);
    for (size_t i = 0; i < width; ++i) EXPECT_NEAR(db[i], bias[i], 1e-5);
  }
}

TEST_P(QrSelection, CentralDifferences) {
  for (const char* kappa : {"1", "0.1", "0"}) {
    HeadRig rig("qr_dqn", {{"quantiles", "5"}, {"kappa", kappa}, {"select", GetParam()}, {"select_temperature", "0.5"}},
                6, 4, 3, compute::Profile::real64);
    fill(rig, 3, 5);
    expect_central_differences(rig);
  }
}

INSTANTIATE_TEST_SUITE_P(All, QrSelection, testing::Values("target", "double", "expected_sarsa"));

TEST(QrDqn, InferAgreesWithPlainDouble) {
  HeadRig rig("qr_dqn", {}, 17, 8, 9);
  fill(rig, 9, 3);
  rig.infer();
  const auto z = quantile::affine(rig.get(rig.h), rig.get(rig.online[0]), rig.get(rig.online[1]));
  const auto q = rig.output("expected_q"), variance = rig.output("variance_q"), out = rig.output("quantiles");
  for (size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(out[i], z[i], 1e-5);
  for (size_t s = 0; s < 17; ++s) {
    const auto mean = quantile::means(&z[s * 288], 32, 9);
    for (size_t a = 0; a < 9; ++a) {
      double second = 0;
      for (size_t i = 0; i < 32; ++i) second += std::pow(z[s * 288 + i * 9 + a] - mean[a], 2) / 32;
      EXPECT_NEAR(q[s * 9 + a], mean[a], 1e-5);
      EXPECT_NEAR(variance[s * 9 + a], second, 1e-4);
    }
  }
}

// Quantile i of the target is not tied to quantile i of the prediction: any order of the targets gives the same loss.
TEST(QrDqn, TheLossDoesNotDependOnTheOrderOfTheTargets) {
  const auto loss_with = [](bool reversed) {
    HeadRig rig("qr_dqn", {{"quantiles", "6"}}, 1, 1, 1);
    std::vector<double> bias{-1, -0.5, 0, 0.25, 0.5, 2};
    if (reversed) std::reverse(bias.begin(), bias.end());
    rig.set(rig.target[1], bias);
    rig.set(rig.discount, {1});
    rig.learn();
    return rig.get(rig.loss)[0];
  };
  EXPECT_NEAR(loss_with(false), loss_with(true), 1e-6);
  EXPECT_GT(loss_with(false), 0.1);
}

TEST(QrDqn, TerminatedSamplesHaveTheRewardAlone) {
  HeadRig rig("qr_dqn", {{"quantiles", "4"}}, 3, 2, 2);
  fill(rig, 2, 8);
  rig.set(rig.discount, {0, 0, 0});
  rig.set(rig.reward, {1, -2, 0.5});
  rig.learn();
  const auto target = rig.get(rig.target_out);
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(target[i], (std::vector<double>{1, -2, 0.5}[i / 4]));
}

// Equal means, different spreads: the action with the lowest index gives the target.
TEST(QrDqn, TiesGoToTheLowestIndex) {
  HeadRig rig("qr_dqn", {{"quantiles", "2"}}, 1, 1, 3);
  rig.set(rig.target[1], {-1, -2, -3, 1, 2, 3});
  rig.set(rig.discount, {1});
  rig.learn();
  EXPECT_EQ(rig.get(rig.target_out), (std::vector<double>{-1, 1}));
}

TEST(QrDqn, KappaTowardsZeroIsThePinballLoss) {
  const auto losses = [](const char* kappa) {
    HeadRig rig("qr_dqn", {{"kappa", kappa}}, 16, 4, 3);
    fill(rig, 3, 6);
    rig.learn();
    auto all = rig.get(rig.loss);
    for (const double g : rig.get(rig.gradient[1])) all.push_back(g);
    return all;
  };
  const auto pinball = losses("0"), small = losses("1e-6");
  for (size_t i = 0; i < pinball.size(); ++i) EXPECT_NEAR(small[i], pinball[i], 1e-4);
}

TEST(QrDqn, BadNumbersShowInTheLoss) {
  for (const char* select : {"target", "expected_sarsa"}) {
    HeadRig rig("qr_dqn", {{"select", select}}, 4, 3, 2);
    fill(rig, 2, 2);
    rig.set(rig.reward, {0, std::nan(""), 1, INFINITY});
    rig.learn();
    const auto loss = rig.get(rig.loss);
    EXPECT_TRUE(std::isfinite(loss[0]) && std::isfinite(loss[2]));
    EXPECT_TRUE(std::isnan(loss[1]));
    EXPECT_FALSE(std::isfinite(loss[3]));
  }
}

TEST(QrDqn, SameBitsWithAnyNumberOfThreads) {
  std::vector<std::vector<double>> first;
  for (const int threads : {1, 2, 3}) {
    HeadRig rig("qr_dqn", {}, 256, 64, 9, compute::Profile::fast, threads);
    fill(rig, 9, 9);
    rig.learn();
    rig.infer();
    const std::vector<std::vector<double>> all = {rig.get(rig.gradient[0]), rig.get(rig.gradient[1]), rig.get(rig.loss),
                                                  rig.get(rig.grad_h), rig.output("quantiles")};
    if (threads == 1) first = all;
    EXPECT_EQ(first, all) << threads << " threads";
  }
}

// A decision problem with a known answer. State 1 ends: action 0 pays a uniform reward on [-1, 1], action 1 one that is
// exponential with mean 0.3 above 0. State 0 pays 0.5 and leads to state 1, discounted by 0.9. The batch is the whole
// distribution, so with kappa = 0 the minimum of the loss are the quantiles themselves.
class SolvedChain : public testing::TestWithParam<const char*> {
 protected:
  static constexpr int points = 256;
  static double uniform(double tau) { return 2 * tau - 1; }
  static double exponential(double tau) { return -0.3 * std::log(1 - tau); }
};

TEST_P(SolvedChain, TheQuantilesAreThoseOfTheReturn) {
  const std::string select = GetParam();
  constexpr size_t k = 10, n = 2;
  HeadRig rig("qr_dqn", {{"quantiles", "10"}, {"kappa", "0"}, {"select", select}, {"select_temperature", "1"}},
              2 * points + 16, 2, n);
  std::vector<double> h, h_next, action, reward, discount;
  const auto add = [&](double state, double a, double r, double g) {
    for (const double v : {1 - state, state}) h.push_back(v);
    for (const double v : {0.0, 1.0}) h_next.push_back(v);
    action.push_back(a), reward.push_back(r), discount.push_back(g);
  };
  for (int i = 0; i < points; ++i) {
    add(1, 0, uniform((i + 0.5) / points), 0);
    add(1, 1, exponential((i + 0.5) / points), 0);
  }
  for (int i = 0; i < 16; ++i) add(0, i % 2, 0.5, 0.9);
  rig.set(rig.h, h), rig.set(rig.h_next, h_next), rig.set(rig.action, action);
  rig.set(rig.reward, reward), rig.set(rig.discount, discount);
  train(rig, 3000, 0.02, 10);

  const auto w = rig.get(rig.online[0]), b = rig.get(rig.online[1]);
  const auto z = [&](size_t state, size_t i, size_t a) { return w[state * k * n + i * n + a] + b[i * n + a]; };
  quantile::Values state1;
  for (size_t i = 0; i < k; ++i)
    for (size_t a = 0; a < n; ++a) state1.push_back(z(1, i, a));
  const auto weight = quantile::action_weights(quantile::means(state1.data(), k, n), select, 1);
  std::vector<std::pair<double, double>> mixture;
  for (size_t i = 0; i < k; ++i)
    for (size_t a = 0; a < n; ++a) mixture.emplace_back(0.5 + 0.9 * state1[i * n + a], weight[a] / k);
  for (size_t i = 0; i < k; ++i) {
    const double tau = (2 * static_cast<double>(i) + 1) / (2 * k);
    EXPECT_NEAR(z(1, i, 0), uniform(tau), 0.02) << "quantile " << i;
    EXPECT_NEAR(z(1, i, 1), exponential(tau), 0.02) << "quantile " << i;
    for (size_t a = 0; a < n; ++a) {
      if (select == "expected_sarsa")
        EXPECT_NEAR(z(0, i, a), weighted_quantile(mixture, tau), 0.03) << "quantile " << i;
      else
        EXPECT_NEAR(z(0, i, a), 0.5 + 0.9 * exponential(tau), 0.03) << "quantile " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SolvedChain, testing::Values("target", "double", "expected_sarsa"));

}  // namespace
}  // namespace foxhunt::plugins
