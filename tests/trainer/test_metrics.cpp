// diag.jsonl's metrics against the tensors they are made of.
#include <cmath>
#include <numeric>

#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

std::vector<std::string> keys_of(const diagnostics::MetricSchema& schema, const std::string& without = "") {
  std::vector<std::string> keys;
  for (const diagnostics::Metric& m : schema.metrics())
    if (without.empty() || m.name.find(without) == std::string::npos) keys.push_back(m.name);
  return keys;
}

double norm(const std::vector<std::vector<float>>& tensors) {
  double squares = 0;
  for (const auto& t : tensors)
    for (const float x : t) squares += static_cast<double>(x) * x;
  return std::sqrt(squares);
}

TEST(Schema, IsTheSameButForTheKeysOfTheHeads) {
  Trained one, two({{"heads", "c51 twin:c51"}, {"ensemble", "c51"}});
  EXPECT_EQ(keys_of(one.metrics.schema()), keys_of(two.metrics.schema(), "twin"));
  const std::vector<std::string> all = keys_of(two.metrics.schema());
  for (const char* key : {"step", "env_steps", "wall_s", "l_q", "l_c51", "l_twin", "l_pi", "l_v", "q_pi_agree", "q_pi_agree_ema", "q_pi_agree_twin",
                          "entropy", "action_hist", "hold_frac", "win_rate", "trades", "pnl_cum_usd", "pnl_peak_usd", "drawdown_usd", "reward_mean",
                          "reward_std", "q_gap", "q_gap_ema", "v_mean", "return_mean", "return_std", "v_explained_variance", "twin_v_at_taken_ema",
                          "twin_edge_mass", "grad_norm_twin", "weight_norm_twin", "update_ratio_twin", "update_ratio_policy", "grad_norm_encoder", "lr", "nan_abort_step", "env_steps_per_s"})
    EXPECT_NE(std::find(all.begin(), all.end(), key), all.end()) << key;
}

TEST(Schema, EveryKeyHasAFiniteValueFromTheFirstIterationOn) {
  // Also before the replay is large enough, with a head that offers little, and with no replay update at all.
  for (const Settings& s : {Settings{}, Settings{{"heads", "c51 values"}, {"ensemble", "c51"}}, Settings{{"replay.updates", "0"}},
                            Settings{{"trainer.accounts", "1"}, {"trainer.horizon", "1"}}}) {
    Trained t(s);
    for (int k = 1; k <= 6; ++k) {
      const diagnostics::Row row = t.run(1);
      EXPECT_EQ(row.step(), k) << "steps count from 1";
      for (size_t p = 0; p < row.schema().size(); ++p) {
        const std::string& name = row.schema().name_of(p);
        if (name == "wall_s" || name == "env_steps_per_s") continue;  // the run's own clock
        EXPECT_TRUE(std::isfinite(row.at(p))) << name << " in iteration " << k;
      }
    }
  }
}

TEST(Metrics, AreThoseOfTheTensors) {
  Trained t({{"policy.entropy", "0.5"}, {"policy.entropy_end", "0.1"}, {"policy.entropy_iterations", "8"}, {"policy.lr_iterations", "4"},
             {"policy.lr_end", "0.0005"}});
  t.run(5);
  std::map<std::string, std::vector<float>> weights;
  for (const compute::TensorId id : t.session.agent().tensors().state()) {
    const std::string& name = t.session.agent().tensors()[id].name;
    if (name.find("/online/") != std::string::npos) weights[name] = t.get<float>(id);
  }
  const diagnostics::Row row = t.run(1);
  const size_t S = 32, N = 9;
  EXPECT_EQ(row.get("step"), 6);
  EXPECT_EQ(row.get("env_steps"), 6 * 32);
  EXPECT_NEAR(row.get("entropy_weight"), 0.5 - 0.4 * 5 / 8, 1e-12) << "as iteration 6 used it";
  EXPECT_NEAR(row.get("lr"), 0.0005, 1e-12);

  const auto valid = t.get<uint8_t>("rollout/valid");
  const auto action = t.get<int32_t>("rollout/action");
  const auto logits = t.get<float>("rollout/logits"), series = t.get<float>("rollout/series"), value = t.get<float>("rollout/value"),
             ensemble = t.get<float>(t.session.agent().tensors().find("ensemble_q") ? "ensemble_q" : "rollout/ensemble_q");
  double count = 0, reward = 0, reward2 = 0, entropy = 0, target = 0, target2 = 0, v = 0, error = 0, error2 = 0, agree = 0, gap = 0;
  std::vector<double> share(N, 0);
  for (size_t s = 0; s < S; ++s) {
    if (!valid[s]) continue;
    count += 1;
    reward += series[s], reward2 += static_cast<double>(series[s]) * series[s];
    const double y = series[3 * S + s], d = y - value[s];
    target += y, target2 += y * y, v += value[s], error += d, error2 += d * d;
    share[static_cast<size_t>(action[s])] += 1;
    double total = 0, h = 0, qm = 0, pm = 0, qq = 0, pp = 0, qp = 0, high = -1e9, low = 1e9;
    for (size_t a = 0; a < N; ++a) total += std::exp(static_cast<double>(logits[s * N + a]));
    const auto lp = [&](size_t a) { return logits[s * N + a] - std::log(total); };
    const auto q = [&](size_t a) { return static_cast<double>(ensemble[s * N + a]); };
    for (size_t a = 0; a < N; ++a) h -= std::exp(lp(a)) * lp(a), qm += q(a) / N, pm += lp(a) / N, high = std::max(high, q(a)), low = std::min(low, q(a));
    for (size_t a = 0; a < N; ++a) qq += (q(a) - qm) * (q(a) - qm), pp += (lp(a) - pm) * (lp(a) - pm), qp += (q(a) - qm) * (lp(a) - pm);
    entropy += h, agree += qp / std::sqrt(qq * pp), gap += high - low;
  }
  ASSERT_GT(count, 10);
  EXPECT_NEAR(row.get("reward_mean"), reward / count, 1e-9);
  EXPECT_NEAR(row.get("reward_std"), std::sqrt(reward2 / count - reward / count * reward / count), 1e-7);
  EXPECT_NEAR(row.get("entropy"), entropy / count, 1e-5);
  EXPECT_NEAR(row.get("q_pi_agree"), agree / count, 1e-3);
  EXPECT_NEAR(row.get("q_gap"), gap / count, 1e-6);
  EXPECT_NEAR(row.get("return_mean"), target / count, 1e-7);
  EXPECT_NEAR(row.get("v_mean"), v / count, 1e-7);
  const double variance = target2 / count - target / count * target / count;
  EXPECT_NEAR(row.get("return_std"), std::sqrt(variance), 1e-6);
  EXPECT_NEAR(row.get("v_explained_variance"), 1 - (error2 / count - error / count * error / count) / variance, 1e-3);
  EXPECT_NEAR(row.get("l_v"), error2 / count, 1e-6);
  for (size_t a = 0; a < N; ++a) EXPECT_NEAR(row.get("action_hist." + t.session.agent().environment().action_names()[a]), share[a] / count, 1e-12);
  EXPECT_EQ(row.get("hold_frac"), row.get("action_hist.hold"));

  const auto sum = [](const auto& x) { return std::accumulate(x.begin(), x.end(), 0.0); };
  EXPECT_NEAR(row.get("pnl_cum_usd"), sum(t.get<double>("/env/pnl")), 1e-9);
  EXPECT_NEAR(row.get("fees_cum_usd"), sum(t.get<double>("/env/fees")), 1e-9);
  EXPECT_EQ(row.get("trades"), sum(t.get<int64_t>("/env/trades")));
  EXPECT_EQ(row.get("win_rate"), sum(t.get<int64_t>("/env/wins")) / sum(t.get<int64_t>("/env/trades")));
  EXPECT_EQ(row.get("episodes"), sum(t.get<int64_t>("/env/episodes")));
  EXPECT_EQ(row.get("replay_size"), t.get<int32_t>("/replay/ring")[1]);
  EXPECT_EQ(row.get("drawdown_usd"), row.get("pnl_peak_usd") - row.get("pnl_cum_usd"));

  // Weight norms are those that the iteration began with.
  const double encoder = norm({weights["/encoder/online/w0"], weights["/encoder/online/b0"], weights["/encoder/online/w1"],
                               weights["/encoder/online/b1"], weights["/encoder/online/norm_gain"]});
  EXPECT_NEAR(row.get("weight_norm_encoder"), encoder, 1e-6 * encoder);
  EXPECT_NEAR(row.get("weight_norm_policy"), norm({weights["/policy/online/w"], weights["/policy/online/b"]}), 1e-7);
  EXPECT_NEAR(row.get("grad_norm_value"),
              norm({t.get<float>("storage/policy/gradient/value/w"), t.get<float>("storage/policy/gradient/value/b")}), 1e-6);
  EXPECT_NEAR(row.get("weight_norm_c51"), norm({weights["/heads/c51/online/w"], weights["/heads/c51/online/b"]}), 1e-5);

  for (const auto& [group, tensor] : {std::pair{"encoder", "w0"}, {"policy", "w"}, {"value", "b"}, {"c51", "w"}, {"c51", "b"}}) {
    const std::string path = std::string(group == std::string("c51") ? "/heads/" : "/") + group + "/online/" + tensor;
    const std::vector<float> before = weights.at(path), after = t.get<float>(path);
    std::vector<float> moved(before.size());
    for (size_t i = 0; i < moved.size(); ++i) moved[i] = after[i] - before[i];
    const double expected = norm({moved}) / std::max(norm({before}), norm({after}));
    EXPECT_GT(expected, 0) << path;
    EXPECT_NEAR(row.get(std::string("update_ratio_") + group + "." + tensor), expected, 1e-5 * expected) << path;
  }
}

TEST(Metrics, ATensorThatStandsStillHasAnUpdateRatioOfExactlyZero) {
  Trained t({{"policy.lr", "0"}, {"policy.lr_end", "0"}});
  const diagnostics::Row early = t.run(1);
  ASSERT_LT(early.get("replay_size"), 64);
  EXPECT_EQ(early.get("update_ratio_c51.w"), 0) << "before replay.start";
  const diagnostics::Row late = t.run(4);
  EXPECT_GT(late.get("update_ratio_c51.w"), 0);
  for (const char* name : {"encoder.w0", "policy.w", "value.w"}) EXPECT_EQ(late.get(std::string("update_ratio_") + name), 0) << name;
}

TEST(Metrics, MagnitudesOfValueAndAdvantageAreBatchMeans) {
  Trained t({{"heads", "c51 values"}, {"ensemble", "c51"}});
  const diagnostics::Row row = t.run(3);
  EXPECT_FALSE(t.metrics.schema().find("q_pi_agree_values")) << "a head without Q has no key that could only be NaN";
  EXPECT_FALSE(t.metrics.schema().find("c51_v_abs"));
  const auto h = t.get<float>("rollout/h"), w = t.get<float>("/heads/values/online/w"), u = t.get<float>("/heads/values/online/u");
  const auto valid = t.get<uint8_t>("rollout/valid");
  double count = 0, v_abs = 0, a_abs = 0;
  for (size_t s = 0; s < 32; ++s) {
    if (!valid[s]) continue;
    count += 1;
    double v = 0;
    for (size_t j = 0; j < 8; ++j) v += static_cast<double>(h[s * 8 + j]) * w[j];
    v_abs += std::abs(v);
    for (size_t k = 0; k < 9; ++k) {
      double a = 0;
      for (size_t j = 0; j < 8; ++j) a += static_cast<double>(h[s * 8 + j]) * u[j * 9 + k];
      a_abs += std::abs(a) / 9;
    }
  }
  EXPECT_LT(count, 32);
  EXPECT_NEAR(row.get("values_v_abs"), v_abs / count, 1e-5 * v_abs / count);
  EXPECT_NEAR(row.get("values_a_abs"), a_abs / count, 1e-5 * a_abs / count);
}

TEST(Metrics, LossesOfHeadsAreZeroUntilTheyLearn) {
  Trained t({{"heads", "c51 twin:c51"}, {"ensemble", "c51:0.25 twin:0.75"}});
  const diagnostics::Row early = t.run(1);
  EXPECT_LT(early.get("replay_size"), 64);
  EXPECT_EQ(early.get("l_c51"), 0);
  EXPECT_EQ(early.get("l_q"), 0);
  const diagnostics::Row late = t.run(4);
  EXPECT_GT(late.get("l_c51"), 0);
  EXPECT_NEAR(late.get("l_q"), 0.25 * late.get("l_c51") + 0.75 * late.get("l_twin"), 1e-12);
}

TEST(Metrics, AveragesBeginAsMeansAndNeverFallBelowTheirRate) {
  Trained t({{"diag.ema", "0.25"}});
  double mean = 0;
  for (int n = 1; n <= 8; ++n) {
    const diagnostics::Row row = t.run(1);
    mean += std::max(0.25, 1.0 / n) * (row.get("q_gap") - mean);
    EXPECT_NEAR(row.get("q_gap_ema"), mean, 1e-12) << n;
  }
}

TEST(Metrics, DrawdownIsFromTheHighestPnlSoFar) {
  Trained t({{"env.episode_rows", "50"}});
  double peak = 0;
  for (int n = 0; n < 12; ++n) {
    const diagnostics::Row row = t.run(1);
    peak = std::max(peak, row.get("pnl_cum_usd"));
    EXPECT_EQ(row.get("pnl_peak_usd"), peak);
    EXPECT_EQ(row.get("drawdown_usd"), peak - row.get("pnl_cum_usd"));
  }
  EXPECT_LT(t.run(1).get("pnl_cum_usd"), 0) << "a new policy pays for its trades";
}

TEST(Metrics, NameTheFirstTensorThatWentBad) {
  for (const char* tensor : {"/encoder/online/w1", "/value/online/b", "/heads/c51/online/w", "/heads/c51/online/b"}) {
    Trained t;
    EXPECT_EQ(t.run(2).get("nan_abort_step"), -1);
    std::vector<float> w = t.get<float>(tensor);
    w[0] = std::nanf("");
    t.set(tensor, w);
    const diagnostics::Row row = t.run(1);
    EXPECT_EQ(row.get("nan_abort_step"), 3) << tensor;
    EXPECT_EQ(row.bad_tensor, tensor);
    EXPECT_EQ(t.run(2).get("nan_abort_step"), 3) << "the first stays";
  }
}

TEST(Metrics, CanBeReadALagBehind) {
  Trained now, late;
  std::vector<diagnostics::Row> wanted, found;
  for (int k = 0; k < 5; ++k) wanted.push_back(now.run(1));
  for (int k = 0; k < 5; ++k) {
    late.session.submit();
    if (k >= 1) late.session.compute().wait(late.session.run_of(k - 1)), found.push_back(late.metrics.read(k - 1));
  }
  late.session.compute().wait_all();
  found.push_back(late.metrics.read(4));
  for (size_t k = 0; k < 5; ++k)
    for (const char* key : {"step", "pnl_cum_usd", "entropy", "l_c51", "grad_norm_encoder", "q_gap_ema"})
      EXPECT_EQ(found[k].get(key), wanted[k].get(key)) << key << " of iteration " << k;
}

}  // namespace
}  // namespace foxhunt::trainer::test
