// A value with an encoder of its own, and episodes that are cut.
#include <algorithm>

#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

Settings own(std::initializer_list<std::pair<std::string, std::string>> more = {}) {
  Settings s{{"policy.critic", "own"}, {"policy.grad_clip", "0"}};
  s.all.insert(s.all.end(), more.begin(), more.end());
  return s;
}

TEST(OwnCritic, ItsEncoderLearnsFromTheValueAloneAndThePolicysFromThePolicyAlone) {
  Trained without(own({{"policy.value_weight", "0"}})), with(own({{"policy.value_weight", "0.5"}}));
  const auto before = without.state();
  without.run(1);
  with.run(1);
  const auto a = without.state(), b = with.state();
  for (const char* layer : {"w0", "w1"}) {
    const std::string encoder = std::string("/encoder/online/") + layer, critic = std::string("/critic/online/") + layer;
    EXPECT_NE(a.at(encoder), before.at(encoder));
    EXPECT_EQ(a.at(encoder), b.at(encoder));
    EXPECT_EQ(a.at(critic), before.at(critic)) << "a loss without weight";
    EXPECT_NE(b.at(critic), before.at(critic));
  }
}

TEST(OwnCritic, ASharedEncoderLearnsFromBoth) {
  Trained without({{"policy.value_weight", "0"}, {"policy.grad_clip", "0"}}), with({{"policy.grad_clip", "0"}});
  without.run(1);
  with.run(1);
  EXPECT_NE(without.state().at("/encoder/online/w0"), with.state().at("/encoder/online/w0"));
  EXPECT_FALSE(with.state().contains("/critic/online/w0"));
}

TEST(OwnCritic, TrainsWithMinibatchesMemoryAndReplayOfObservations) {
  for (const Settings& more : {own({{"policy.epochs", "2"}, {"policy.minibatches", "2"}, {"encoder.kind", "mamba2"}, {"encoder.head_dim", "8"}}),
                               own({{"policy.epochs", "2"}, {"policy.minibatches", "4"}, {"replay.kind", "observation"}}),
                               own({{"policy.value_target", "n_step"}})}) {
    Trained t(more);
    const auto before = t.state();
    const auto row = t.run(3);
    EXPECT_GT(row.get("grad_norm_critic"), 0);
    EXPECT_GT(row.get("weight_norm_critic"), 0);
    for (const auto& [name, bytes] : t.state())
      if (name.starts_with("/critic/online/")) { EXPECT_NE(bytes, before.at(name)) << name; }
  }
}

TEST(Truncation, IsTheEndWhereAsked) {
  Trained bootstraps({{"env.episode_rows", "3"}}), ends({{"env.episode_rows", "3"}, {"env.truncation", "terminal"}});
  for (Trained* t : {&bootstraps, &ends}) t->run(1);
  const auto cut = bootstraps.get<uint8_t>("rollout/done"), ended = ends.get<uint8_t>("rollout/done");
  ASSERT_GT(std::count(cut.begin(), cut.end(), 2), 0);
  EXPECT_EQ(std::count(ended.begin(), ended.end(), 2), 0);
  for (size_t i = 0; i < cut.size(); ++i) EXPECT_EQ(cut[i] != 0, ended[i] != 0);
  const auto zeros = [](Trained& t) {
    const auto discount = t.get<float>("/replay/discount");
    const auto held = t.get<int32_t>("/replay/ring")[1];
    return std::count(discount.begin(), discount.begin() + held, 0.0f);
  };
  EXPECT_EQ(zeros(bootstraps), 0);
  EXPECT_EQ(zeros(ends), std::count(cut.begin(), cut.end(), 2));
}

}  // namespace
}  // namespace foxhunt::trainer::test
