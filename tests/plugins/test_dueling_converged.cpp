#include <array>

#include "quantile_rig.hpp"

// What dueling heads converge to, on an MDP that is solved exactly.

namespace foxhunt::plugins {
namespace {

/// Three states, three actions, no chance: the next state is (s + a) mod 3.
struct Mdp {
  static constexpr int states = 3, actions = 3;
  static constexpr double gamma = static_cast<double>(0.9f);
  using Table = std::array<std::array<double, actions>, states>;
  Table reward{{{0, 0.3, -0.2}, {0.5, -0.4, 0}, {-0.3, 0.2, 0.1}}};
  Table optimal{}, under_uniform{};  ///< Q*, Q of the uniform policy

  static int next(int s, int a) { return (s + a) % states; }
  static double mean(const std::array<double, actions>& q) { return (q[0] + q[1] + q[2]) / 3; }
  double value(int s) const { return mean(under_uniform[static_cast<size_t>(s)]); }

  Mdp() {
    for (int sweep = 0; sweep < 1000; ++sweep)
      for (int s = 0; s < states; ++s)
        for (int a = 0; a < actions; ++a) {
          const auto i = static_cast<size_t>(s), j = static_cast<size_t>(a), n = static_cast<size_t>(next(s, a));
          optimal[i][j] = reward[i][j] + gamma * *std::max_element(optimal[n].begin(), optimal[n].end());
          under_uniform[i][j] = reward[i][j] + gamma * mean(under_uniform[n]);
        }
  }
};

/// Every transition of the MDP once; a state is a row with a single 1.
std::unique_ptr<HeadRig> rig_on(const Mdp& mdp, const std::string& plugin, Settings settings) {
  const int n = Mdp::states * Mdp::actions;
  auto rig = std::make_unique<HeadRig>(plugin, std::move(settings), n, Mdp::states, Mdp::actions);
  uint64_t stream = 1;
  for (size_t i = 0; i < rig->online.size(); ++i) {
    const auto w = normal(rig->count(rig->online[i]), ++stream, 0.5);
    rig->set(rig->online[i], w);
    rig->set(rig->target[i], w);
  }
  std::vector<double> h(static_cast<size_t>(n * Mdp::states), 0), h_next = h, reward, action, v, v_next;
  for (int i = 0; i < n; ++i) {
    const int s = i / Mdp::actions, a = i % Mdp::actions;
    h[static_cast<size_t>(i * Mdp::states + s)] = 1;
    h_next[static_cast<size_t>(i * Mdp::states + Mdp::next(s, a))] = 1;
    reward.push_back(mdp.reward[static_cast<size_t>(s)][static_cast<size_t>(a)]);
    action.push_back(a);
    v.push_back(mdp.value(s));
    v_next.push_back(mdp.value(Mdp::next(s, a)));
  }
  rig->set(rig->h, h);
  rig->set(rig->h_next, h_next);
  rig->set(rig->reward, reward);
  rig->set(rig->action, action);
  rig->set(rig->discount, std::vector<double>(static_cast<size_t>(n), Mdp::gamma));
  if (rig->value) {
    rig->set(rig->value, v);
    rig->set(rig->value_next, v_next);
  }
  return rig;
}

/// What the head says of state s: rows 3s … 3s + 2 of the rig are the same state.
Mdp::Table expected_q(HeadRig& rig) {
  rig.infer();
  const auto q = rig.output("expected_q");
  Mdp::Table table;
  for (size_t s = 0; s < 3; ++s)
    for (size_t a = 0; a < 3; ++a) table[s][a] = q[s * 9 + a];
  return table;
}

double widest_gap(const Mdp::Table& q) {
  double widest = 0;
  for (const auto& row : q) widest = std::max(widest, *std::max_element(row.begin(), row.end()) - *std::min_element(row.begin(), row.end()));
  return widest;
}

// Rung 2.1: policy evaluation, and neither a collapse nor control.
TEST(DuelingConverged, ScalarBootstrapLearnsTheAdvantageUnderThePolicyThatVEvaluates) {
  const Mdp mdp;
  const auto rig = rig_on(mdp, "dueling_c51", {{"target", "scalar_bootstrap"}});
  train(*rig, 3000, 0.05, 100);
  const Mdp::Table q = expected_q(*rig);
  double from_optimal = 0;
  for (size_t s = 0; s < 3; ++s)
    for (size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(q[s][a], mdp.under_uniform[s][a], 0.02) << "state " << s << " action " << a;
      for (size_t b = 0; b < 3; ++b)
        from_optimal = std::max(from_optimal, std::abs(q[s][a] - q[s][b] - (mdp.optimal[s][a] - mdp.optimal[s][b])));
    }
  EXPECT_GT(widest_gap(q), 0.5);
  EXPECT_GT(from_optimal, 0.2);
}

// The record's «provably collapses» is right for the variant that regresses every action on the one target.
TEST(DuelingConverged, BroadcastLeavesNoDifferenceBetweenActions) {
  const Mdp mdp;
  for (const char* value : {"scalar", "per_atom"}) {
    const auto rig = rig_on(mdp, "dueling_c51", {{"target", "broadcast"}, {"value", value}});
    const double before = widest_gap(expected_q(*rig));
    train(*rig, 3000, 0.05, 100);
    EXPECT_GT(before, 0.2);
    EXPECT_LT(widest_gap(expected_q(*rig)), 0.02) << value;
  }
}

// One target that all actions share, all of its mass on one atom: sum_a log p_a is the same at every atom, so that its
// mean over the atoms, at most -N ln Z, is its value at this one, and the cross-entropy at least ln Z.
TEST(DuelingConverged, AScalarValueCannotFitATargetThatAllActionsShare) {
  const auto loss_of = [](const std::string& plugin, Settings settings) {
    Mdp zero;
    zero.reward = {};
    const auto rig = rig_on(zero, plugin, std::move(settings));
    rig->set(rig->discount, std::vector<double>(9, 0));  // every transition ends: the target is the atom at 0
    train(*rig, 1500, 0.05, 100);
    rig->learn();
    const auto l = rig->get(rig->loss);
    return std::accumulate(l.begin(), l.end(), 0.0) / 9;
  };
  EXPECT_NEAR(loss_of("dueling_c51", {{"value", "scalar"}}), std::log(21), 1e-3);
  EXPECT_LT(loss_of("dueling_c51", {{"value", "per_atom"}}), 0.05);
  EXPECT_LT(loss_of("c51", {}), 0.05);
}

// V_IQN is the mean over the actions of what control has learned, whatever the policy does: not the policy's value.
TEST(DuelingConverged, TheIqnValueIsTheMeanOfTheOptimalValues) {
  const Mdp mdp;
  const auto rig = rig_on(mdp, "iqn_dueling", {{"n", "16"}, {"n_target", "16"}, {"cosines", "8"}});
  train(*rig, 4000, 0.02, 50);
  const Mdp::Table q = expected_q(*rig);
  const auto value = rig->output("state_value");
  double bias = 0;
  for (size_t s = 0; s < 3; ++s) {
    for (size_t a = 0; a < 3; ++a) EXPECT_NEAR(q[s][a], mdp.optimal[s][a], 0.05) << "state " << s << " action " << a;
    EXPECT_NEAR(value[s * 3], Mdp::mean(mdp.optimal[s]), 0.05);
    bias = std::max(bias, std::abs(value[s * 3] - mdp.value(static_cast<int>(s))));
  }
  EXPECT_GT(bias, 0.5);
}

TEST(DuelingConverged, DuelingQLearnsTheOptimalValues) {
  const Mdp mdp;
  const auto rig = rig_on(mdp, "dueling_q", {});
  train(*rig, 3000, 0.05, 50);
  const Mdp::Table q = expected_q(*rig);
  const auto value = rig->output("state_value");
  for (size_t s = 0; s < 3; ++s) {
    for (size_t a = 0; a < 3; ++a) EXPECT_NEAR(q[s][a], mdp.optimal[s][a], 0.01) << "state " << s << " action " << a;
    EXPECT_NEAR(value[s * 3], Mdp::mean(mdp.optimal[s]), 0.01);
  }
}

}  // namespace
}  // namespace foxhunt::plugins
