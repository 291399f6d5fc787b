// Configurations whose values do not go together are refused with the keys' names.
#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

std::string refusal(const Settings& more) {
  return error_of([&] { make_plan(config_of(more)); });
}

TEST(Plan, HoldsWhatTheConfigurationSays) {
  const Plan p = make_plan(config_of({{"policy.lr", "0.1"}, {"policy.lr_end", "0.01"}, {"policy.lr_iterations", "7"}, {"policy.clip", "0.3"},
                                      {"q.adam_epsilon", "0.5"}, {"policy.grad_clip", "2"}, {"env.latency", "250"}, {"env.ruin", "40"},
                                      {"env.initial_equity", "100"}, {"position_sizing.rounding", "truncate"}, {"q.gamma", "0.9"},
                                      {"policy.reward", "shaped"}, {"eval.selection", "sample"}, {"trainer.profile", "parity"}}));
  EXPECT_EQ(p.policy_lr.from, 0.1);
  EXPECT_EQ(p.policy_lr.to, 0.01);
  EXPECT_EQ(p.policy_lr.span, 7);
  EXPECT_EQ(p.clip, 0.3);
  EXPECT_EQ(p.q_adam.epsilon, 0.5);
  EXPECT_EQ(p.q_adam.clip, 0) << "the limit is of the policy's group alone";
  EXPECT_EQ(p.policy_adam.clip, 2);
  EXPECT_EQ(p.latency_us, 250);
  EXPECT_EQ(p.account.loss_limit, 60);
  EXPECT_EQ(p.account.rounding, environment::Rounding::truncate);
  EXPECT_EQ(p.replay.gamma, 0.9);
  EXPECT_TRUE(p.policy_sees_shaped);
  EXPECT_FALSE(p.eval_greedy);
  EXPECT_EQ(p.compute.profile, compute::Profile::parity);
  EXPECT_EQ(p.samples(), 32);
}

TEST(Plan, RefusesPositionsThatDoNotRise) {
  for (const Settings& s : {Settings{{"env.small", "3"}}, Settings{{"env.half", "5"}}, Settings{{"env.small", "0"}}})
    expect_all(refusal(s), {"env.small = ", "env.half = ", "env.full = ", "rise from small to full"});
}

TEST(Plan, RefusesLotsThatRoundingMakesNothingOf) {
  expect_all(refusal({{"env.lot", "2"}}), {"env.small = 1", "env.lot = 2", "position_sizing.rounding = none"});
  EXPECT_EQ(make_plan(config_of({{"env.lot", "2"}, {"position_sizing.rounding", "none"}})).account.lot, 2);
}

TEST(Plan, RefusesAccountsRuinedAtTheirStart) {
  expect_all(refusal({{"env.ruin", "100000"}}), {"env.ruin = 1e+05", "env.initial_equity = 1e+05"});
}

TEST(Plan, RefusesMoreSamplesThanADeviceCounts) {
  expect_all(refusal({{"trainer.accounts", "4194304"}, {"trainer.horizon", "257"}}), {"trainer.accounts x trainer.horizon", "2^30"});
}

TEST(Plan, RefusesAReplaySmallerThanARollout) {
  expect_all(refusal({{"replay.capacity", "31"}, {"replay.start", "1"}}), {"replay.capacity = 31", "32", "raise it"});
  EXPECT_EQ(make_plan(config_of({{"replay.capacity", "32"}, {"replay.start", "32"}})).replay.capacity, 32);
}

TEST(Plan, RefusesAStartThatIsNeverReached) {
  expect_all(refusal({{"replay.start", "101"}}), {"replay.start", "101", "replay.capacity", "100"});
}

TEST(Market, SourceAndPathMustAgree) {
  expect_all(error_of([] { make_market(config_of({{"env.source", "file"}})); }), {"env.source", "env.path", "foxhunt import"});
  expect_all(error_of([] { make_market(config_of({{"env.path", "x.h5"}})); }), {"env.path", "env.source"});
  expect_all(error_of([] { make_market(config_of({{"env.source", "file"}, {"env.path", "/no/such/file.h5"}})); }), {"/no/such/file.h5"});
}

TEST(Market, TheEmbeddedOnesFollowTheirSettings) {
  const market::Market planted = make_market(config_of({{"env.depth", "3"}}));
  EXPECT_EQ(planted.rows(), 1200);
  EXPECT_EQ(planted.bid_sz[0], 3u);
  EXPECT_NE(planted.bid_px, make_market(config_of({{"env.depth", "3"}, {"env.seed", "2"}})).bid_px);
  EXPECT_EQ(make_market(config_of({{"env.source", "synthetic"}})).source, "synthetic");
}

}  // namespace
}  // namespace foxhunt::trainer::test
