// Heads that choose the action of the bootstrap with their online net look at the online encoder's features.
#include <gtest/gtest.h>

#include <random>

#include "head_rig.hpp"

namespace foxhunt::plugins {
namespace {

constexpr int64_t kBatch = 64, kHidden = 8, kActions = 5;

class OnlineFeatures : public testing::TestWithParam<const char*> {
 protected:
  // The targets of a batch; `select`: the features to choose by, or empty.
  std::vector<double> targets(const std::string& rule, const std::vector<double>& select) {
    HeadRig rig(GetParam(), {{"select", rule}}, kBatch, kHidden, kActions, compute::Profile::fast, 2, built_plugins(),
                select.empty() ? std::vector<std::string>{} : std::vector<std::string>{"h_select"});
    for (size_t i = 0; i < rig.online.size(); ++i) {
      rig.set(rig.online[i], normal(rig.count(rig.online[i]), 10 + static_cast<unsigned>(i)));
      rig.set(rig.target[i], normal(rig.count(rig.target[i]), 20 + static_cast<unsigned>(i)));
    }
    rig.set(rig.h, normal(rig.count(rig.h), 1));
    rig.set(rig.h_next, next());
    if (rig.h_select) rig.set(rig.h_select, select);
    rig.set(rig.action, std::vector<double>(kBatch, 1));
    rig.set(rig.reward, normal(kBatch, 3));
    rig.set(rig.discount, std::vector<double>(kBatch, 0.97));
    rig.learn();
    return rig.get(rig.target_out);
  }
  static std::vector<double> next() { return normal(kBatch * kHidden, 2); }
  static std::vector<double> other() { return normal(kBatch * kHidden, 5); }
  static std::vector<double> normal(size_t n, unsigned seed) {
    std::mt19937 bits(seed);
    std::normal_distribution<float> draw(0, 0.5f);
    std::vector<double> values(n);
    for (double& v : values) v = draw(bits);
    return values;
  }
};

TEST_P(OnlineFeatures, StandForTheNextStateWhereTheOnlineNetChooses) {
  const auto alone = targets("double", {});
  EXPECT_EQ(targets("double", next()), alone);
  EXPECT_NE(targets("double", other()), alone);
}

TEST_P(OnlineFeatures, AreNotLookedAtElsewhere) {
  for (const char* rule : {"target", "expected_sarsa"}) EXPECT_EQ(targets(rule, other()), targets(rule, {})) << rule;
}

INSTANTIATE_TEST_SUITE_P(Heads, OnlineFeatures, testing::Values("c51", "iqn", "qr_dqn"), [](const auto& p) { return std::string(p.param); });

}  // namespace
}  // namespace foxhunt::plugins
