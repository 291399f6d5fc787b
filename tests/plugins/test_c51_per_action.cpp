#include "c51_reference.hpp"
#include "quantile_rig.hpp"

// C51 whose actions have atoms of their own.

namespace foxhunt::plugins {
namespace {

std::unique_ptr<HeadRig> rig_with(Settings settings, compute::Profile profile = compute::Profile::fast, int64_t batch = 64, int64_t hidden = 16,
                                  int64_t actions = 9) {
  auto rig = std::make_unique<HeadRig>("c51", std::move(settings), batch, hidden, actions, profile);
  fill(*rig, actions, 41);
  return rig;
}

compute::TensorId controller(const HeadRig& rig, const std::string& name) { return rig.tensors.find("controller/" + name); }

TEST(C51PerAction, WithOneSupportForAllIsC51) {
  for (const char* select : {"target", "double", "expected_sarsa"}) {
    const auto own = rig_with({{"per_action_support", "true"}, {"support_rate", "0"}, {"select", select}}), shared = rig_with({{"select", select}});
    for (HeadRig* rig : {own.get(), shared.get()}) {
      rig->infer();
      rig->learn();
    }
    for (const char* name : {"expected_q", "variance_q", "log_probs"}) {
      const auto a = own->output(name), b = shared->output(name);
      for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << name;
    }
    const auto target = own->get(own->target_out), same = shared->get(shared->target_out);
    for (size_t i = 0; i < target.size(); ++i) EXPECT_NEAR(target[i], same[i], 2e-5) << select;
    for (size_t p = 0; p < 2; ++p) {
      const auto a = own->get(own->gradient[p]), b = shared->get(shared->gradient[p]);
      for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5);
    }
  }
}

// The atoms of a* land on the atoms of the action taken: what that support can hold keeps its mean.
TEST(C51PerAction, TheTargetKeepsItsMeanOnAnotherSupport) {
  const auto rig = rig_with({{"per_action_support", "true"}, {"support_rate", "0"}, {"atoms", "51"}});
  std::vector<double> low, delta;
  for (int a = 0; a < 9; ++a) {
    low.push_back(-8 - 0.25 * a);
    delta.push_back((20 + a) / 50.0);
  }
  rig->set(controller(*rig, "low"), low);
  rig->set(controller(*rig, "delta"), delta);
  rig->set(rig->discount, std::vector<double>(64, 0.25));  // nothing leaves any support
  rig->learn();
  const auto target = rig->get(rig->target_out), reward = rig->get(rig->reward), discount = rig->get(rig->discount);
  const auto next = c51::logits(rig->get(rig->h_next), rig->get(rig->target[0]), rig->get(rig->target[1]));
  const c51::Reference unit{9, 51, 0, 50, "target", 1};
  const auto taken = actions_of(*rig, 9, 41);
  for (size_t s = 0; s < 64; ++s) {
    double best = -1e9, mean = 0, mass = 0;
    for (size_t a = 0; a < 9; ++a) best = std::max(best, low[a] + delta[a] * unit.mean(unit.probabilities(&next[(s * 9 + a) * 51])));
    for (size_t z = 0; z < 51; ++z) {
      mass += target[s * 51 + z];
      mean += target[s * 51 + z] * (low[taken[s]] + delta[taken[s]] * static_cast<double>(z));
    }
    EXPECT_NEAR(mass, 1, 1e-6);
    EXPECT_NEAR(mean, reward[s] + discount[s] * best, 1e-4) << "sample " << s;
  }
}

TEST(C51PerAction, CentralDifferences) {
  const auto rig = rig_with({{"per_action_support", "true"}, {"support_rate", "0"}, {"atoms", "7"}}, compute::Profile::real64, 6, 5, 3);
  rig->set(controller(*rig, "low"), {-3, -2, -1});
  rig->set(controller(*rig, "delta"), {1, 0.5, 0.75});
  expect_central_differences(*rig);
}

// Terminal rewards of one size an action: every support closes in on its own action's.
TEST(C51PerAction, SupportsFollowTheReturnsOfTheirAction) {
  const auto rig = rig_with({{"per_action_support", "true"}, {"support_rate", "0.05"}}, compute::Profile::fast, 66, 16, 3);
  std::vector<double> action, reward, end(66, 0);
  for (int i = 0; i < 66; ++i) {
    action.push_back(i % 2);
    reward.push_back(i % 2 == 0 ? -2 : 1 + 0.5 * ((i / 2) % 2));
  }
  rig->set(rig->action, action);
  rig->set(rig->reward, reward);
  rig->set(rig->discount, end);
  for (int k = 0; k < 400; ++k) rig->learn();
  const auto low = rig->get(controller(*rig, "low")), delta = rig->get(controller(*rig, "delta"));
  EXPECT_NEAR(low[0] + 10 * delta[0], -2, 0.02) << "no spread: the narrowest support around the one return";
  EXPECT_NEAR(20 * delta[0], 0.3, 0.02);
  EXPECT_NEAR(low[1] + 10 * delta[1], 1.25, 0.02);
  EXPECT_NEAR(20 * delta[1], 2 * 3 * 0.25, 0.05) << "three standard deviations to either side";
  EXPECT_EQ(low[2], -3) << "an action that is never taken keeps all of [v_min, v_max]";
  EXPECT_FLOAT_EQ(static_cast<float>(delta[2]), 0.3f);
  rig->infer();
  const auto q = rig->output("expected_q");
  for (size_t s = 0; s < 66; ++s) EXPECT_LT(q[s * 3], -1.8);
  EXPECT_LT(rig->head.output("support"), 0);
}

}  // namespace
}  // namespace foxhunt::plugins
