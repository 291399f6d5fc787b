// What chooses the actions of rollouts, and the on-policy update's epochs, minibatches and targets.
#include <algorithm>
#include <cmath>
#include <map>

#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

constexpr size_t N = environment::kActions;

size_t best(const float* q) { return static_cast<size_t>(std::max_element(q, q + N) - q); }

// The visited states' Q is that of the weights which acted: learning comes later in the iteration.
double share_of_best(Trained& t) {
  const auto q = t.get<float>("rollout/ensemble_q");
  const auto action = t.get<int32_t>("rollout/action");
  double hits = 0;
  for (size_t i = 0; i < action.size(); ++i) hits += static_cast<size_t>(action[i]) == best(&q[i * N]);
  return hits / static_cast<double>(action.size());
}

std::map<int32_t, double> action_shares(Trained& t, int iterations) {
  std::map<int32_t, double> shares;
  double n = 0;
  for (int k = 0; k < iterations; ++k) {
    t.run(1);
    for (const int32_t a : t.get<int32_t>("rollout/action")) shares[a] += 1, n += 1;
  }
  for (auto& [a, s] : shares) s /= n;
  return shares;
}

TEST(Source, GreedyTakesTheBestOfTheEnsemble) {
  Trained t({{"policy.source", "greedy"}, {"policy.epochs", "0"}, {"heads", "c51 b:c51"}, {"ensemble", "c51:0.7 b:0.3"}});
  for (int k = 0; k < 6; ++k) {
    t.run(1);
    EXPECT_EQ(share_of_best(t), 1);
  }
  EXPECT_GT(t.get<uint64_t>("/heads/c51/adam/t")[0], 0u);
  EXPECT_EQ(t.get<uint64_t>("/optimizer/policy/t")[0], 0u) << "no epochs, no update";
}

TEST(Source, EpsilonGreedyFollowsItsSchedule) {
  Trained t({{"policy.source", "epsilon_greedy"}, {"policy.epsilon", "1"}, {"policy.epsilon_end", "0"},
             {"policy.epsilon_iterations", "40"}, {"trainer.accounts", "50"}, {"replay.capacity", "400"}});
  t.run(1);
  EXPECT_NEAR(share_of_best(t), 1.0 / 9, 0.1) << "all actions alike at first";
  const double lp = t.get<float>("rollout/log_prob")[0];
  EXPECT_NEAR(lp, std::log(1.0 / 9), 1e-5);
  t.run(20);
  EXPECT_NEAR(share_of_best(t), 0.5 + 0.5 / 9, 0.13);
  t.run(20);
  EXPECT_EQ(share_of_best(t), 1);
}

TEST(Source, BoltzmannNearZeroIsGreedyAndFarAboveUniform) {
  Trained cold({{"policy.source", "boltzmann"}, {"policy.temperature", "1e-4"}}), hot({{"policy.source", "boltzmann"}, {"policy.temperature", "1e4"}});
  cold.run(3);
  EXPECT_EQ(share_of_best(cold), 1);
  for (const auto& [a, share] : action_shares(hot, 30)) EXPECT_NEAR(share, 1.0 / 9, 0.04) << a;
}

TEST(Source, ThompsonActsOnDrawsFromTheDistribution) {
  Trained t({{"policy.source", "thompson"}, {"policy.epochs", "0"}, {"trainer.accounts", "50"}, {"replay.capacity", "400"}});
  t.run(1);
  // Nearly uniform distributions at first: every action is the best draw about as often.
  EXPECT_LT(share_of_best(t), 0.5);
  EXPECT_GT(share_of_best(t), 0.02);
}

TEST(Source, IsRefusedWhereItMakesNoSense) {
  expect_all(error_of([] { Trained t({{"policy.source", "thompson"}}); }), {"policy.epochs = 0"});
  expect_all(error_of([] { Trained t({{"policy.source", "greedy"}}); }), {"policy.epochs = 0"});
  expect_all(error_of([] { Trained t({{"policy.minibatches", "3"}}); }), {"policy.minibatches = 3", "32"});
}

TEST(Mask, AFlatAccountClosesNothing) {
  for (const char* source : {"actor", "epsilon_greedy", "boltzmann"}) {
    Trained t({{"policy.mask", "true"}, {"policy.source", source}, {"policy.epsilon_end", "1"}, {"policy.temperature", "100"}});
    int flat = 0, closing = 0;
    for (int k = 0; k < 20; ++k) {
      t.run(1);
      const auto mask = t.get<uint8_t>("rollout/mask");
      const auto action = t.get<int32_t>("rollout/action");
      for (size_t i = 0; i < action.size(); ++i) {
        EXPECT_NE(mask[i * N + static_cast<size_t>(action[i])], 0) << source;
        flat += mask[i * N + 7] == 0;
        closing += action[i] >= 7;
      }
    }
    EXPECT_GT(flat, 10) << source;
    EXPECT_GT(closing, 10) << source;
    for (const float w : t.get<float>("/policy/online/w")) ASSERT_TRUE(std::isfinite(w));
  }
}

TEST(Update, TakesAStepForEveryMinibatchOfEveryEpoch) {
  Trained t({{"policy.epochs", "3"}, {"policy.minibatches", "4"}});
  const auto row = t.run(5);
  EXPECT_EQ(t.get<uint64_t>("/optimizer/policy/t")[0], 5u * 3 * 4);
  EXPECT_TRUE(std::isfinite(row.get("l_pi")));
  EXPECT_GT(row.get("approx_kl"), 0) << "later steps see another policy than the rollout's";
}

TEST(Update, TheMinibatchesOfAnEpochAreAllSamplesOnce) {
  Trained t({{"policy.epochs", "2"}, {"policy.minibatches", "4"}});
  for (int k = 0; k < 10; ++k) {
    t.run(1);
    const auto all = t.get<uint8_t>("rollout/valid"), parts = t.get<uint8_t>("policy_update/valid");
    EXPECT_EQ(std::count(all.begin(), all.end(), 1), std::count(parts.begin(), parts.end(), 1));
  }
}

TEST(Update, OneEpochOfOneMinibatchIsTheWholeBatchToRounding) {
  // The value's clip does nothing where V has not moved, and makes no difference to the plan but the path.
  Trained whole, parts({{"policy.epochs", "1"}, {"policy.minibatches", "2"}, {"policy.lr", "0"}, {"policy.lr_end", "0"}});
  Trained frozen({{"policy.lr", "0"}, {"policy.lr_end", "0"}});
  const auto a = frozen.run(3), b = parts.run(3);
  for (const char* metric : {"entropy", "l_v", "l_distill"}) EXPECT_NEAR(a.get(metric), b.get(metric), 1e-5 * std::abs(a.get(metric))) << metric;
  EXPECT_NEAR(b.get("approx_kl"), 0, 1e-9);
}

TEST(Update, StopsAtTheLimitOfKl) {
  Trained t({{"policy.epochs", "4"}, {"policy.minibatches", "2"}, {"policy.target_kl", "1e-12"}});
  t.run(3);
  EXPECT_EQ(t.get<uint64_t>("/optimizer/policy/t")[0], 3u) << "the first step sees the rollout's own policy";
  Trained far({{"policy.epochs", "4"}, {"policy.minibatches", "2"}, {"policy.target_kl", "1e6"}});
  far.run(3);
  EXPECT_EQ(far.get<uint64_t>("/optimizer/policy/t")[0], 24u);
}

TEST(Targets, NStepWithALongWindowIsGaeWithLambdaOne) {
  // Both are then the discounted rewards up to the end of rollout or episode, and V there.
  Trained n({{"policy.advantage", "n_step"}, {"policy.n_step", "100"}}), gae({{"policy.lambda", "1"}});
  n.run(1);
  gae.run(1);
  const auto a = n.get<float>("rollout/advantage"), b = gae.get<float>("rollout/advantage");
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6);
}

TEST(Targets, TheValueKeepsTargetWeightsOnlyWhereTheyAreUsed) {
  Trained gae, n({{"policy.value_target", "n_step"}, {"policy.value_tau", "0.25"}});
  EXPECT_EQ(gae.session.agent().tensors().find("/value/target/w"), 0u);
  const auto first = n.get<float>("/value/target/w");
  EXPECT_EQ(first, n.get<float>("/value/online/w"));
  n.run(1);
  const auto online = n.get<float>("/value/online/w"), target = n.get<float>("/value/target/w");
  for (size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(target[i], 0.75f * first[i] + 0.25f * online[i], 1e-6);
}

TEST(Targets, QMinusVIsTheEnsemblesAdvantage) {
  Trained t({{"policy.advantage", "q_minus_v"}});
  t.run(3);
  const auto q = t.get<float>("rollout/ensemble_q"), v = t.get<float>("rollout/value"), adv = t.get<float>("rollout/advantage");
  const auto action = t.get<int32_t>("rollout/action");
  const auto valid = t.get<uint8_t>("rollout/valid");
  for (size_t i = 0; i < adv.size(); ++i)
    EXPECT_EQ(adv[i], valid[i] ? q[i * N + static_cast<size_t>(action[i])] - v[i] : 0) << i;
}

TEST(Everything, SwitchedOnIsStillIsolatedAndTheSameForAnyNumberOfThreads) {
  const Settings base{{"policy.epochs", "2"}, {"policy.minibatches", "2"}, {"policy.target_kl", "0.5"}, {"policy.value_clip", "0.2"},
                      {"policy.mask", "true"}, {"policy.source", "boltzmann"}, {"policy.temperature", "1"}, {"replay.n_step", "3"},
                      {"policy.advantage", "n_step"}, {"policy.value_target", "n_step"}, {"ensemble", "c51"}, {"risk_source", "c51"}};
  const auto with = [&](std::initializer_list<std::pair<std::string, std::string>> more) {
    Settings s = base;
    s.all.insert(s.all.end(), more.begin(), more.end());
    return s;
  };
  Trained alone(with({{"heads", "c51"}})), threads(with({{"heads", "c51"}, {"trainer.threads", "2"}})),
      beside(with({{"heads", "other:c51 c51"}, {"other.atoms", "11"}}));
  for (Trained* t : {&alone, &threads, &beside}) t->run(6);
  auto rest = beside.state();
  std::erase_if(rest, [](const auto& e) { return e.first.find("/heads/other/") == 0; });
  EXPECT_EQ(rest, alone.state());
  EXPECT_EQ(threads.state(), alone.state());
}

}  // namespace
}  // namespace foxhunt::trainer::test
