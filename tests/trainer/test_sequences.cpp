// replay.kind = sequence: Q losses train an encoder with a memory.
#include <algorithm>
#include <cmath>

#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

// Episodes of 11 rows end within the windows of 8.
Settings sequences(const Settings& more = {}) {
  Settings s{{"replay.kind", "sequence"}, {"encoder.kind", "mamba2"},  {"encoder.hidden", "8"},   {"encoder.head_dim", "4"},
             {"encoder.vsn_hidden", "4"}, {"encoder.state", "3"},      {"trainer.horizon", "8"},  {"replay.burn_in", "4"},
             {"replay.batch", "32"},      {"replay.capacity", "256"},  {"replay.start", "1"},     {"env.episode_rows", "11"}};
  s.all.insert(s.all.end(), more.all.begin(), more.all.end());
  return s;
}

// With weights as they were in the rollout, the features that the heads learn from are the rollout's.
TEST(Sequences, StoredStatesAndBurnInGiveTheRolloutsFeatures) {
  for (const char* burn_in : {"0", "4", "7"}) {
    SCOPED_TRACE(burn_in);
    Trained t(sequences({{"replay.burn_in", burn_in}, {"policy.epochs", "0"}, {"q.lr", "0"}, {"replay.capacity", "64"}, {"replay.updates", "1"}}));
    t.run(3);  // the ring holds the last rollout alone: 8 accounts x 8 steps
    const size_t b = std::stoul(burn_in), rows = 8 - b, n = 32 / rows, H = 8, B = 8;
    const auto slot = t.get<int32_t>("replay/slot");
    const auto h = t.get<float>("rollout/h"), now = t.get<float>("replay/encoded_steps"), next = t.get<float>("replay/encoded_next_steps");
    const auto valid = t.get<uint8_t>("rollout/valid");
    EXPECT_NE(std::count(valid.begin(), valid.end(), 0), 0) << "no episode ended";
    ASSERT_EQ(now.size(), rows * n * H);
    ASSERT_EQ(next.size(), (rows + 1) * n * H);
    for (size_t k = 0; k <= rows; ++k)
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < H; ++j) {
          const float seen = h[((b + k) * B + static_cast<size_t>(slot[i])) * H + j];
          if (k < rows) { ASSERT_NEAR(now[(k * n + i) * H + j], seen, 1e-5 * std::max(1.f, std::abs(seen))) << "step " << k; }
          ASSERT_NEAR(next[(k * n + i) * H + j], seen, 1e-5 * std::max(1.f, std::abs(seen))) << "target, step " << k;
        }
  }
}

TEST(Sequences, QLossesTrainEveryPartOfTheEncoder) {
  Trained t(sequences({{"policy.epochs", "0"}}));
  const auto before = t.state();
  t.run(3);
  const auto after = t.state();
  for (const char* w : {"vsn_w1", "vsn_u", "in_proj", "conv_w", "dt_bias", "A_log", "D", "gate_gain", "out_proj", "norm_gain"})
    for (const char* net : {"online", "target"}) {
      const std::string path = std::string("/encoder/") + net + "/" + w;
      EXPECT_NE(after.at(path), before.at(path)) << path;
    }
  for (const char* still : {"/policy/online/w", "/value/online/w"}) EXPECT_EQ(after.at(still), before.at(still)) << still;
}

TEST(Sequences, TheOnlineNetChoosesByTheOnlineEncodersFeatures) {
  Trained t(sequences({{"c51.select", "double"}, {"q.tau", "0"}}));
  t.set("/encoder/target/norm_gain", std::vector<float>(8, 0));
  t.run(2);
  const auto any = [&](const std::string& name) {
    const auto values = t.get<float>("replay/" + name);
    return std::any_of(values.begin(), values.end(), [](float v) { return v != 0; });
  };
  EXPECT_FALSE(any("encoded_next")) << "a target encoder of zeros";
  EXPECT_TRUE(any("encoded_select"));
}

TEST(Sequences, ADiagnosticHeadGivesTheEncoderNothing) {
  Trained alone(sequences({{"replay.n_step", "3"}, {"ensemble", "c51"}})),
      beside(sequences({{"replay.n_step", "3"}, {"heads", "other:c51 c51"}, {"ensemble", "c51"}, {"other.atoms", "11"}}));
  alone.run(5);
  beside.run(5);
  auto rest = beside.state();
  std::erase_if(rest, [](const auto& e) { return e.first.find("/heads/other/") == 0; });
  EXPECT_EQ(rest, alone.state());
}

TEST(Sequences, WorkForEncodersWithoutAMemoryAndOnTasks) {
  Trained t(sequences({{"encoder.kind", "mlp"}, {"env.source", "cartpole"}, {"gate.q_pi_agree.action", "off"}}));
  const auto before = t.get<float>("/encoder/online/w0");
  t.run(3);
  EXPECT_NE(t.get<float>("/encoder/online/w0"), before);
}

TEST(Sequences, ResumeToTheBitBesideThePolicysMinibatches) {
  const Settings s = sequences({{"policy.minibatches", "2"}, {"policy.epochs", "2"}, {"policy.critic", "own"}, {"c51.select", "double"}, {"balance.q", "1"}});
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

TEST(Sequences, RefuseWhatLeavesNothingToLearnFrom) {
  expect_all(error_of([] { Trained t(sequences({{"replay.burn_in", "8"}})); }), {"replay.burn_in = 8", "trainer.horizon = 8"});
  expect_all(error_of([] { Trained t(sequences({{"replay.batch", "30"}})); }), {"replay.batch = 30", "= 4", "32"});
}

}  // namespace
}  // namespace foxhunt::trainer::test
