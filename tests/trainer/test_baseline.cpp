// What stands for V in the advantage, and heads that read V and train it.
#include <algorithm>
#include <cmath>

#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

constexpr size_t N = environment::kActions;

/// V as the last rollout's advantages were made of it: Q(s, a) - advantage, where they are q_minus_v. NaN where the sample
/// is none.
std::vector<double> baseline_of(Trained& t) {
  const auto q = t.get<float>("rollout/ensemble_q"), advantage = t.get<float>("rollout/advantage");
  const auto action = t.get<int32_t>("rollout/action");
  const auto valid = t.get<uint8_t>("rollout/valid");
  std::vector<double> v;
  for (size_t i = 0; i < advantage.size(); ++i)
    v.push_back(valid[i] ? static_cast<double>(q[i * N + static_cast<size_t>(action[i])]) - static_cast<double>(advantage[i]) : std::nan(""));
  return v;
}

TEST(Baseline, AHeadsQUnderMeanPolicyAndMaximum) {
  for (const char* kind : {"mean", "policy", "max"}) {
    Trained t({{"value_baseline", "c51"}, {"policy.state_value", kind}, {"policy.advantage", "q_minus_v"}});
    t.run(3);
    const auto q = t.get<float>("rollout/ensemble_q"), logits = t.get<float>("rollout/logits");
    const auto v = baseline_of(t);
    for (size_t i = 0; i < v.size(); ++i) {
      if (std::isnan(v[i])) continue;
      double sum = 0, mean = 0, policy = 0;
      for (size_t a = 0; a < N; ++a) {
        const double p = std::exp(static_cast<double>(logits[i * N + a])), value = static_cast<double>(q[i * N + a]);
        sum += p;
        policy += p * value;
        mean += value / N;
      }
      const double expected = kind == std::string("mean")     ? mean
                              : kind == std::string("policy") ? policy / sum
                                                              : static_cast<double>(*std::max_element(&q[i * N], &q[i * N] + N));
      EXPECT_NEAR(v[i], expected, 2e-5) << kind << " sample " << i;
    }
  }
}

TEST(Baseline, AHeadWithoutStateValueSaysHowToGetOne) {
  expect_all(error_of([] { Trained({{"value_baseline", "c51"}}); }), {"'c51'", "offers no state_value", "policy.state_value = mean"});
  expect_all(error_of([] { Trained({{"heads", "c51 values"}, {"ensemble", "c51"}, {"value_baseline", "values"}, {"policy.state_value", "max"}}); }),
             {"'values'", "offers no expected_q"});
}

TEST(Baseline, AMaskedPolicyHasNoExpectationOverAllActions) {
  const Settings masked{{"value_baseline", "c51"}, {"policy.state_value", "policy"}, {"policy.mask", "true"}};
  expect_all(error_of([&] { Trained t(masked); }), {"policy.state_value = policy", "policy.mask = true"});
}

TEST(Baseline, ABlendGoesFromTheScalarValueToTheHeads) {
  const Settings base{{"value_baseline", "blend(scalar, c51, 2, 4)"}, {"policy.state_value", "mean"}, {"policy.advantage", "q_minus_v"}};
  Trained t(base);
  for (int iteration = 0; iteration < 6; ++iteration) {
    t.run(1);
    const auto q = t.get<float>("rollout/ensemble_q"), scalar = t.get<float>("rollout/value");
    const auto v = baseline_of(t);
    const double alpha = iteration <= 2 ? 1 : iteration == 3 ? 0.5 : 0;
    for (size_t i = 0; i < v.size(); ++i) {
      if (std::isnan(v[i])) continue;
      double mean = 0;
      for (size_t a = 0; a < N; ++a) mean += static_cast<double>(q[i * N + a]) / N;
      EXPECT_NEAR(v[i], alpha * static_cast<double>(scalar[i]) + (1 - alpha) * mean, 2e-5) << iteration;
    }
  }
  EXPECT_FALSE(t.session.agent().heads()[0]->roles().diagnostic());
}

TEST(Baseline, VIsCutWhereAdvantagesAndValueTargetsAreMadeOfIt) {
  for (const char* baseline : {"scalar", "c51"}) {
    Trained t({{"value_baseline", baseline}, {"policy.state_value", "mean"}, {"policy.advantage", "q_minus_v"}, {"policy.value_low", "0.01"},
               {"policy.value_high", "0.02"}});
    t.run(3);
    double low = 1e9, high = -1e9;
    for (const double v : baseline_of(t))
      if (!std::isnan(v)) low = std::min(low, v), high = std::max(high, v);
    EXPECT_NEAR(low, 0.01, 1e-5) << baseline;
    EXPECT_NEAR(high, 0.02, 1e-5) << baseline;
  }
  expect_all(error_of([] { Trained({{"policy.value_low", "2"}, {"policy.value_high", "1"}}); }), {"value_low", "above"});
}

// What the dueling loss says of V reaches V one iteration later, through nobody else.
TEST(ValueGradient, AHeadOfTheEnsembleTrainsTheValueHead) {
  const auto value_moved = [](const char* ensemble, const char* value) {
    Trained t({{"heads", "c51 d:dueling_q"}, {"ensemble", ensemble}, {"d.value", value}, {"policy.value_weight", "0"},
               {"policy.grad_clip", "0"}});
    const auto before = t.get<float>("/value/online/w");
    t.run(8);
    return t.get<float>("/value/online/w") != before;
  };
  EXPECT_TRUE(value_moved("c51:0.5 d:0.5", "scalar"));
  EXPECT_FALSE(value_moved("c51:0.5 d:0.5", "own"));
  EXPECT_FALSE(value_moved("c51", "scalar")) << "a diagnostic head";
}

// The mean over the updates of h^T g, times the head's weight: with one update it can be seen.
TEST(ValueGradient, IsTheHeadsGradientTimesItsWeight) {
  Trained t({{"heads", "d:dueling_q"}, {"d.value", "scalar"}, {"replay.updates", "1"}});
  t.run(4);
  const auto h = t.get<float>("replay/state"), g = t.get<float>("replay/grad_of_value_by_d");
  const auto w = t.get<float>("/controllers/value_gradient/w"), b = t.get<float>("/controllers/value_gradient/b");
  double sum = 0;
  for (const float x : g) sum += static_cast<double>(x);
  EXPECT_NEAR(static_cast<double>(b[0]), sum, 1e-6);
  EXPECT_NE(sum, 0);
  for (size_t j = 0; j < w.size(); ++j) {
    double product = 0;
    for (size_t i = 0; i < g.size(); ++i) product += static_cast<double>(h[i * w.size() + j]) * static_cast<double>(g[i]);
    EXPECT_NEAR(static_cast<double>(w[j]), product, 1e-6);
  }
}

// Rung 2v2: C51's softmax cannot see V, so that the head that reads it does not move it.
TEST(ValueGradient, OfADuelingC51WithAScalarValueIsNothing) {
  Trained t({{"heads", "d:dueling_c51"}, {"d.atoms", "5"}, {"replay.updates", "1"}});
  t.run(6);
  for (const float x : t.get<float>("replay/grad_of_value_by_d")) EXPECT_LT(std::abs(x), 1e-6f);
}

TEST(ValueGradient, AHeadThatReadsVIsRefusedWhereThereIsNone) {
  const Settings own{{"heads", "d:dueling_q"}, {"d.value", "scalar"}, {"policy.critic", "own"}};
  expect_all(error_of([&] { Trained t(own); }), {"'d'", "policy.critic = own"});
  const Settings still{{"heads", "d:dueling_q"}, {"d.value", "scalar"}, {"policy.epochs", "0"}};
  expect_all(error_of([&] { Trained t(still); }), {"'d'", "policy.epochs = 0"});
}

// Against returns, beside V: all three readings of every head's Q.
TEST(ValueMetrics, ExplainedVarianceAndSlopeAgreeWithTheirDefinition) {
  Trained t({{"heads", "c51 d:dueling_q"}, {"ensemble", "c51"}});
  const diagnostics::Row row = t.run(5);
  const auto series = t.get<float>("rollout/series");
  const auto valid = t.get<uint8_t>("rollout/valid");
  const size_t S = valid.size();
  const auto q = t.get<float>("heads/d/visited_expected_q");
  double n = 0, mv = 0, mg = 0;
  std::vector<double> v(S), g(S);
  for (size_t i = 0; i < S; ++i) {
    for (size_t a = 0; a < N; ++a) v[i] += static_cast<double>(q[i * N + a]) / N;
    g[i] = static_cast<double>(series[3 * S + i]);
    if (!valid[i]) continue;
    n += 1, mv += v[i], mg += g[i];
  }
  mv /= n, mg /= n;
  double vv = 0, gg = 0, vg = 0;
  for (size_t i = 0; i < S; ++i)
    if (valid[i]) vv += (v[i] - mv) * (v[i] - mv), gg += (g[i] - mg) * (g[i] - mg), vg += (v[i] - mv) * (g[i] - mg);
  EXPECT_NEAR(row.get("d_v_explained_variance.mean"), 1 - (vv + gg - 2 * vg) / gg, 1e-3);
  EXPECT_NEAR(row.get("d_v_slope.mean"), vg / vv, 1e-3 * std::max(1.0, std::abs(vg / vv)));
}

}  // namespace
}  // namespace foxhunt::trainer::test
