// Agents in environments without a market.
#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

Settings cartpole(std::initializer_list<std::pair<std::string, std::string>> more = {}) {
  Settings s{{"env.source", "cartpole"}, {"env.reward_scale", "1"}, {"trainer.accounts", "4"}, {"trainer.horizon", "32"},
             {"replay.capacity", "1000"}, {"policy.distill", "0"}, {"eval.accounts", "20"}};
  s.all.insert(s.all.end(), more.begin(), more.end());
  return s;
}

TEST(Control, TrainsOnATaskAndCountsItsEpisodes) {
  Trained t(cartpole());
  const auto row = t.run(20);
  EXPECT_EQ(t.session.agent().environment().actions(), 2);
  EXPECT_GT(row.get("episodes"), 30);
  EXPECT_GT(row.get("episode_return_mean"), 8);
  EXPECT_LT(row.get("episode_return_mean"), 100);
  EXPECT_NEAR(row.get("action_hist.left") + row.get("action_hist.right"), 1, 1e-9);
  EXPECT_FALSE(t.metrics.schema().find("pnl_cum_usd")) << "nothing is traded";
  int64_t fills = 0;
  t.session.last_fills([&](const Fill&) { ++fills; });
  EXPECT_EQ(fills, 0);
}

TEST(Control, TheMeanReturnIsThatOfTheLastEpisodes) {
  Trained t(cartpole());
  std::vector<double> returns;
  double mean = 0;
  for (int k = 0; k < 30; ++k) {
    mean = t.run(1).get("episode_return_mean");
    const auto done = t.get<uint8_t>("rollout/done");
    const auto score = t.get<double>("rollout/equity");
    for (size_t i = 0; i < done.size(); ++i)
      if (done[i]) returns.push_back(score[i]);
  }
  ASSERT_GT(returns.size(), 110u);
  double expected = 0;
  for (size_t i = returns.size() - 100; i < returns.size(); ++i) expected += returns[i] / 100;
  EXPECT_NEAR(mean, expected, 1e-9);
}

TEST(Control, EvaluationRunsEveryEpisodeToItsEnd) {
  Trained t(cartpole());
  t.run(2);
  const auto before = t.state();
  const EvaluationResult a = t.session.evaluate("test"), b = t.session.evaluate("test");
  EXPECT_EQ(a.returns.size(), 20u);
  EXPECT_EQ(a.returns, b.returns);
  double steps = 0;
  for (const double r : a.returns) {
    EXPECT_GE(r, 5);
    steps += r;  // a reward of 1 a step
  }
  EXPECT_EQ(static_cast<double>(a.steps), steps);
  EXPECT_EQ(t.state(), before);
  t.run(1);
}

TEST(Control, ActsOnQInEvaluationToo) {
  Trained t(cartpole({{"policy.source", "greedy"}, {"policy.epochs", "0"}}));
  t.run(3);
  const auto result = t.session.evaluate("test");
  EXPECT_EQ(result.action_names, (std::vector<std::string>{"left", "right"}));
  // Other weights of the policy change nothing: it is not asked.
  t.set("/policy/online/w", std::vector<float>(16, 3));
  EXPECT_EQ(t.session.evaluate("test").returns, result.returns);
}

Settings dqn(std::initializer_list<std::pair<std::string, std::string>> more = {}) {
  Settings s = cartpole({{"replay.kind", "observation"}, {"policy.source", "epsilon_greedy"}, {"policy.epochs", "0"},
                         {"encoder.norm", "false"}, {"encoder.activation", "relu"}, {"encoder.width", "12"}});
  s.all.insert(s.all.end(), more.begin(), more.end());
  return s;
}

TEST(ObservationReplay, QLossesTrainTheEncoderAndNothingElseMoves) {
  Trained t(dqn());
  const auto before = t.state();
  t.run(3);
  const auto after = t.state();
  for (const char* moved : {"/encoder/online/w0", "/encoder/online/w1", "/encoder/target/w0", "/heads/c51/online/w", "/replay/x"})
    EXPECT_NE(after.at(moved), before.at(moved)) << moved;
  for (const char* still : {"/policy/online/w", "/value/online/w"}) EXPECT_EQ(after.at(still), before.at(still)) << still;
  EXPECT_EQ(t.get<uint64_t>("/optimizer/encoder/t"), t.get<uint64_t>("/heads/c51/adam/t"));
  EXPECT_EQ(t.get<float>("/encoder/online/w0").size(), 4u * 12);
  EXPECT_EQ(t.get<float>("/encoder/online/w1").size(), 12u * 8);
}

TEST(ObservationReplay, TargetsAreCopiedPeriodically) {
  Trained t(dqn({{"q.tau", "1"}, {"q.target_every", "5"}, {"replay.start", "1"}}));
  for (int k = 1; k <= 10; ++k) {
    t.run(1);
    const uint64_t updates = t.get<uint64_t>("/optimizer/encoder/t")[0];
    ASSERT_EQ(updates, static_cast<uint64_t>(2 * k));
    for (const char* part : {"/encoder/%/w0", "/encoder/%/b1", "/heads/c51/%/w"}) {
      std::string online = part, target = part;
      online.replace(online.find('%'), 1, "online");
      target.replace(target.find('%'), 1, "target");
      EXPECT_EQ(t.get<float>(online) == t.get<float>(target), updates % 5 == 0) << part << " after " << updates;
    }
  }
}

TEST(ObservationReplay, TheOnlineNetChoosesByTheOnlineEncodersFeatures) {
  Trained t(dqn({{"c51.select", "double"}, {"q.tau", "0"}, {"replay.start", "1"}}));
  for (const char* w : {"w0", "w1"}) t.set(std::string("/encoder/target/") + w, std::vector<float>(t.get<float>(std::string("/encoder/target/") + w).size(), 0));
  t.run(2);
  const auto any = [&](const std::string& name) {
    const auto values = t.get<float>("replay/" + name);
    return std::any_of(values.begin(), values.end(), [](float v) { return v != 0; });
  };
  EXPECT_FALSE(any("encoded_next")) << "a target encoder of zeros";
  EXPECT_TRUE(any("encoded_select"));
}

TEST(ObservationReplay, ADiagnosticHeadGivesTheEncoderNothing) {
  Trained alone(dqn({{"replay.n_step", "3"}, {"ensemble", "c51"}})),
      beside(dqn({{"replay.n_step", "3"}, {"heads", "other:c51 c51"}, {"ensemble", "c51"}, {"other.atoms", "11"}}));
  alone.run(6);
  beside.run(6);
  auto rest = beside.state();
  std::erase_if(rest, [](const auto& e) { return e.first.find("/heads/other/") == 0; });
  EXPECT_EQ(rest, alone.state());
}

TEST(ObservationReplay, WorksOnMarketsBesideThePolicyAndResumes) {
  const Settings s{{"replay.kind", "observation"}, {"replay.n_step", "2"}, {"policy.minibatches", "2"}};
  const Scratch scratch;
  Trained whole(s), first(s);
  whole.run(6);
  first.run(3);
  first.save(scratch / "half.h5");
  Trained second(s, false);
  second.session.resume(checkpoints::Reader(scratch / "half.h5"));
  second.run(3);
  EXPECT_EQ(second.state(), whole.state());
}

TEST(ObservationReplay, RefusesAnEncoderWithAMemory) {
  expect_all(error_of([] { Trained t({{"replay.kind", "observation"}, {"encoder.kind", "mamba2"}, {"encoder.hidden", "32"}}); }),
             {"observation", "mamba2", "embedding"});
}

TEST(Control, ResumesFromACheckpoint) {
  const Scratch scratch;
  Trained whole(cartpole({{"replay.n_step", "3"}})), first(cartpole({{"replay.n_step", "3"}}));
  whole.run(6);
  first.run(3);
  first.save(scratch / "half.h5");
  Trained second(cartpole({{"replay.n_step", "3"}}), false);
  second.session.resume(checkpoints::Reader(scratch / "half.h5"));
  second.run(3);
  EXPECT_EQ(second.state(), whole.state());
}

}  // namespace
}  // namespace foxhunt::trainer::test
