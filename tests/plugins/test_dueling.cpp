#include <algorithm>

#include "c51_reference.hpp"
#include "quantile_rig.hpp"

// What is claimed of dueling heads, on random inputs. What they converge to: test_dueling_converged.cpp.

namespace foxhunt::plugins {
namespace {

/// Random weights and inputs; V where it is read.
std::unique_ptr<HeadRig> make_rig(const std::string& plugin, Settings settings, int64_t batch, int64_t hidden, int64_t actions,
                                  uint64_t seed, compute::Profile profile = compute::Profile::fast) {
  auto rig = std::make_unique<HeadRig>(plugin, settings, batch, hidden, actions, profile);
  fill(*rig, actions, seed);
  if (rig->value) {
    rig->set(rig->value, normal(static_cast<size_t>(batch), seed * 100 + 50));
    rig->set(rig->value_next, normal(static_cast<size_t>(batch), seed * 100 + 51));
  }
  return rig;
}

/// What `fill` gave a rig, for another one.
void copy_inputs(const HeadRig& from, HeadRig& to, int64_t actions, uint64_t seed) {
  for (const auto id : {&HeadRig::h, &HeadRig::h_next, &HeadRig::reward, &HeadRig::discount}) to.set(to.*id, from.get(from.*id));
  std::vector<double> taken;
  for (const size_t a : actions_of(from, actions, seed)) taken.push_back(static_cast<double>(a));
  to.set(to.action, taken);
}

size_t parameter(const HeadRig& rig, const std::string& name) {
  const auto all = rig.head.parameters();
  for (size_t i = 0; i < all.size(); ++i)
    if (name == all[i].name) return i;
  ADD_FAILURE() << name << " is no parameter";
  return 0;
}

/// a - mean over the N actions of rows [.., N, width].
std::vector<double> centred(std::vector<double> a, size_t actions, size_t width) {
  for (size_t row = 0; row < a.size() / (actions * width); ++row)
    for (size_t c = 0; c < width; ++c) {
      double mean = 0;
      for (size_t n = 0; n < actions; ++n) mean += a[(row * actions + n) * width + c] / static_cast<double>(actions);
      for (size_t n = 0; n < actions; ++n) a[(row * actions + n) * width + c] -= mean;
    }
  return a;
}

struct Variant {
  std::string plugin;
  Settings settings;
  size_t width;  ///< numbers an action in the layer of A

  friend void PrintTo(const Variant& v, std::ostream* to) {
    *to << v.plugin;
    for (const auto& [key, value] : v.settings) *to << ' ' << key << '=' << value;
  }
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const char* select : {"target", "double", "expected_sarsa"}) {
    const std::pair<std::string, std::string> s{"select", select}, t{"select_temperature", "0.5"};
    for (const char* value : {"own", "scalar"}) all.push_back({"dueling_q", {{"value", value}, {"kappa", "0.7"}, s, t}, 1});
    for (const char* value : {"scalar", "per_atom"}) all.push_back({"dueling_c51", {{"value", value}, {"atoms", "7"}, s, t}, 7});
    all.push_back({"iqn_dueling", {{"cosines", "5"}, {"n", "4"}, {"n_target", "3"}, {"k", "6"}, s, t}, 1});
  }
  for (const char* target : {"scalar_bootstrap", "broadcast"})
    for (const char* value : {"scalar", "per_atom"}) all.push_back({"dueling_c51", {{"value", value}, {"target", target}, {"atoms", "7"}}, 7});
  all.push_back({"iqn_dueling", {{"cosines", "5"}, {"n", "4"}, {"n_target", "3"}, {"k", "6"}, {"hidden", "4"}}, 1});
  return all;
}

class Dueling : public testing::TestWithParam<Variant> {};

// Every parameter, h and, where the loss can see it, V.
TEST_P(Dueling, CentralDifferences) {
  const auto rig = make_rig(GetParam().plugin, GetParam().settings, 6, 5, 3, 5, compute::Profile::real64);
  expect_central_differences(*rig);
  if (!rig->value) return;
  rig->learn();
  const auto analytic = rig->get(rig->grad_value);
  auto v = rig->get(rig->value);
  const bool in_target = GetParam().settings.size() == 3;  // scalar_bootstrap and broadcast: V is a constant there
  for (size_t i = 0; i < v.size() && !in_target; ++i) {
    const auto mean_loss = [&](double at) {
      auto values = v;
      values[i] = at;
      rig->set(rig->value, values);
      rig->learn();
      const auto l = rig->get(rig->loss);
      return std::accumulate(l.begin(), l.end(), 0.0) / static_cast<double>(l.size());
    };
    EXPECT_NEAR(analytic[i], (mean_loss(v[i] + 1e-5) - mean_loss(v[i] - 1e-5)) / 2e-5, 1e-8);
  }
  if (in_target) {
    EXPECT_EQ(analytic, std::vector<double>(analytic.size(), 0));
  }
}

// The gradient of A is what is left when the mean over the actions is taken out.
TEST_P(Dueling, TheGradientsOfTheAdvantagesSumToZero) {
  const bool direct = GetParam().settings.size() == 3 && GetParam().settings[0].second == "scalar";
  const auto rig = make_rig(GetParam().plugin, GetParam().settings, 64, 16, 9, 11);
  rig->learn();
  for (const char* name : {"a_w", "a_b"}) {
    const auto g = rig->get(rig->gradient[parameter(*rig, name)]);
    const size_t width = GetParam().width;
    double largest = 0, largest_sum = 0;
    for (size_t row = 0; row < g.size() / (9 * width); ++row)
      for (size_t c = 0; c < width; ++c) {
        double sum = 0;
        for (size_t n = 0; n < 9; ++n) {
          sum += g[(row * 9 + n) * width + c];
          largest = std::max(largest, std::abs(g[(row * 9 + n) * width + c]));
        }
        largest_sum = std::max(largest_sum, std::abs(sum));
      }
    EXPECT_GT(largest, 1e-4);
    if (direct) {
      EXPECT_GT(largest_sum, 0.1 * largest);  // without streams nothing sums to 0: the test can fail
    } else {
      EXPECT_LT(largest_sum, 1e-6 * std::max(1.0, largest));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Dueling, testing::ValuesIn(variants()));

TEST(DuelingQ, AgreesWithPlainDouble) {
  for (const char* value : {"own", "scalar"}) {
    const auto rig = make_rig("dueling_q", {{"value", value}}, 33, 7, 9, 3);
    const bool own = value == std::string("own");
    const auto q_of = [&](const std::vector<compute::TensorId>& net, compute::TensorId features, compute::TensorId given) {
      const auto h = rig->get(features);
      auto a = centred(quantile::affine(h, rig->get(net[parameter(*rig, "a_w")]), rig->get(net[parameter(*rig, "a_b")])), 9, 1);
      const auto v = own ? quantile::affine(h, rig->get(net[parameter(*rig, "v_w")]), rig->get(net[parameter(*rig, "v_b")])) : rig->get(given);
      for (size_t i = 0; i < a.size(); ++i) a[i] += v[i / 9];
      return a;
    };
    const auto q = q_of(rig->online, rig->h, rig->value), next = q_of(rig->target, rig->h_next, rig->value_next);
    rig->infer();
    rig->learn();
    const auto expected = rig->output("expected_q"), state_value = rig->output("state_value"), advantage = rig->output("advantage"),
               target = rig->get(rig->target_out), loss = rig->get(rig->loss), reward = rig->get(rig->reward), discount = rig->get(rig->discount);
    const auto taken = actions_of(*rig, 9, 3);
    std::vector<double> db(9, 0);
    for (size_t s = 0; s < 33; ++s) {
      double mean = 0;
      for (size_t n = 0; n < 9; ++n) mean += q[s * 9 + n] / 9;
      EXPECT_NEAR(state_value[s], mean, 1e-5);
      for (size_t n = 0; n < 9; ++n) {
        EXPECT_NEAR(expected[s * 9 + n], q[s * 9 + n], 1e-5);
        EXPECT_NEAR(advantage[s * 9 + n], q[s * 9 + n] - mean, 1e-5);
      }
      const double y = reward[s] + discount[s] * *std::max_element(&next[s * 9], &next[s * 9] + 9), u = q[s * 9 + taken[s]] - y,
                   g = std::clamp(u, -1.0, 1.0) / 33;
      EXPECT_NEAR(target[s], y, 1e-5);
      EXPECT_NEAR(loss[s], std::abs(u) <= 1 ? u * u / 2 : std::abs(u) - 0.5, 1e-4 * std::max(1.0, std::abs(u)));
      for (size_t n = 0; n < 9; ++n) db[n] += n == taken[s] ? (1 - 1.0 / 9) * g : -g / 9;
      if (!own) {
        EXPECT_NEAR(rig->get(rig->grad_value)[s], g, 1e-6);
      }
    }
    const auto found = rig->get(rig->gradient[parameter(*rig, "a_b")]);
    for (size_t n = 0; n < 9; ++n) EXPECT_NEAR(found[n], db[n], 1e-6);
  }
}

// The record's claim of rung 2v2: a softmax over the atoms cannot see a V that is one number a state.
TEST(DuelingC51, WithAScalarValueIsC51OnTheCentredAdvantages) {
  const size_t N = 9, Z = 21;
  const auto dueling = make_rig("dueling_c51", {{"value", "scalar"}}, 64, 16, N, 21);
  const auto plain = make_rig("c51", {}, 64, 16, N, 21);
  copy_inputs(*dueling, *plain, 9, 21);
  for (const bool online : {true, false}) {
    const auto& from = online ? dueling->online : dueling->target;
    const auto& to = online ? plain->online : plain->target;
    for (const size_t i : {0, 1}) plain->set(to[i], centred(dueling->get(from[i]), N, Z));
  }
  for (HeadRig* rig : {dueling.get(), plain.get()}) {
    rig->infer();
    rig->learn();
  }
  for (const char* name : {"log_probs", "expected_q", "variance_q"}) {
    const auto a = dueling->output(name), b = plain->output(name);
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << name;
  }
  const auto target = dueling->get(dueling->target_out), same = plain->get(plain->target_out), loss = dueling->get(dueling->loss),
             same_loss = plain->get(plain->loss), dh = dueling->get(dueling->grad_h), same_dh = plain->get(plain->grad_h);
  for (size_t i = 0; i < target.size(); ++i) EXPECT_NEAR(target[i], same[i], 2e-5);
  for (size_t i = 0; i < loss.size(); ++i) EXPECT_NEAR(loss[i], same_loss[i], 1e-5 * std::max(1.0, loss[i]));
  for (size_t i = 0; i < dh.size(); ++i) EXPECT_NEAR(dh[i], same_dh[i], 1e-6);
  const auto dw = dueling->get(dueling->gradient[0]), same_dw = centred(plain->get(plain->gradient[0]), N, Z);
  for (size_t i = 0; i < dw.size(); ++i) EXPECT_NEAR(dw[i], same_dw[i], 1e-6);
}

TEST(DuelingC51, TheLossDoesNotDependOnAScalarValue) {
  const auto rig = make_rig("dueling_c51", {{"value", "scalar"}}, 64, 16, 9, 22);
  rig->learn();
  const auto loss = rig->get(rig->loss);
  // One part in 1e7 of a probability's gradient: d loss / d V = sum_z (p - m) = 1 - 1.
  for (const double g : rig->get(rig->grad_value)) EXPECT_LT(std::abs(g) * 64, 1e-5);
  rig->set(rig->value, normal(64, 99, 5));
  rig->learn();
  const auto moved = rig->get(rig->loss);
  for (size_t i = 0; i < loss.size(); ++i) EXPECT_NEAR(moved[i], loss[i], 1e-5 * std::max(1.0, loss[i]));
}

TEST(DuelingC51, AValuePerAtomIsNoNoOp) {
  const auto rig = make_rig("dueling_c51", {{"value", "per_atom"}}, 64, 16, 9, 23);
  rig->infer();
  rig->learn();
  const auto before = rig->output("expected_q");
  double gradient = 0;
  for (const double g : rig->get(rig->gradient[parameter(*rig, "v_w")])) gradient = std::max(gradient, std::abs(g));
  EXPECT_GT(gradient, 1e-3);
  const auto id = rig->online[parameter(*rig, "v_b")];
  auto b = rig->get(id);
  b[20] += 3;
  rig->set(id, b);
  rig->infer();
  const auto after = rig->output("expected_q");
  for (size_t i = 0; i < after.size(); ++i) EXPECT_GT(after[i], before[i]);  // mass on the highest atom, for all actions
}

// With centred logits the mean over the actions is 0 (or V) at every atom.
TEST(DuelingC51, TheSumOfLogProbabilitiesOverTheActionsIsTheSameAtEveryAtom) {
  const auto spread = [](const char* value) {
    const auto rig = make_rig("dueling_c51", {{"value", value}}, 32, 16, 9, 24);
    rig->infer();
    const auto lp = rig->output("log_probs");
    double widest = 0;
    for (size_t s = 0; s < 32; ++s) {
      double low = 1e9, high = -1e9;
      for (size_t z = 0; z < 21; ++z) {
        double sum = 0;
        for (size_t a = 0; a < 9; ++a) sum += lp[(s * 9 + a) * 21 + z];
        low = std::min(low, sum);
        high = std::max(high, sum);
      }
      widest = std::max(widest, high - low);
    }
    return widest;
  };
  EXPECT_LT(spread("scalar"), 1e-4);
  EXPECT_GT(spread("per_atom"), 1);
}

// Given the reward and the next state the target knows no action: neither the one taken nor the best next one.
TEST(DuelingC51, TheScalarTargetDependsOnNoActionAndNoAdvantage) {
  for (const char* target : {"scalar_bootstrap", "broadcast"}) {
    const auto rig = make_rig("dueling_c51", {{"target", target}}, 64, 16, 9, 25);
    rig->learn();
    const auto before = rig->get(rig->target_out);
    std::vector<double> other;
    for (const size_t a : actions_of(*rig, 9, 25)) other.push_back(static_cast<double>((a + 1) % 9));
    rig->set(rig->action, other);
    for (const auto& net : {rig->online, rig->target})
      for (const auto id : net) rig->set(id, normal(rig->count(id), id + 1000));
    rig->learn();
    EXPECT_EQ(rig->get(rig->target_out), before) << target;
  }
  const auto joint = make_rig("dueling_c51", {}, 64, 16, 9, 25);
  joint->learn();
  const auto before = joint->get(joint->target_out);
  joint->set(joint->target[0], normal(joint->count(joint->target[0]), 1000));
  joint->learn();
  EXPECT_NE(joint->get(joint->target_out), before);
}

// Scalar bootstrap: the atoms are the advantage's, V is added to the expected values.
TEST(DuelingC51, TheValueIsPartOfTheExpectedValuesWhereTheAtomsAreTheAdvantages) {
  const auto rig = make_rig("dueling_c51", {{"target", "scalar_bootstrap"}}, 32, 16, 9, 26);
  rig->infer();
  const auto q = rig->output("expected_q"), v = rig->get(rig->value), lp = rig->output("log_probs"), support = rig->output("support");
  for (size_t i = 0; i < q.size(); ++i) {
    double mean = v[i / 9];
    for (size_t z = 0; z < 21; ++z) mean += std::exp(lp[i * 21 + z]) * support[z];
    EXPECT_NEAR(q[i], mean, 1e-5);
  }
}

TEST(IqnDueling, IsIqnWithComposedWeights) {
  const Settings settings{{"n", "4"}, {"n_target", "4"}, {"k", "8"}};
  const auto dueling = make_rig("iqn_dueling", settings, 33, 16, 9, 31);
  const auto plain = make_rig("iqn", settings, 33, 16, 9, 31);
  copy_inputs(*dueling, *plain, 9, 31);
  const auto p = [&](const char* name) { return parameter(*dueling, name); };
  for (const bool online : {true, false}) {
    const auto& from = online ? dueling->online : dueling->target;
    const auto& to = online ? plain->online : plain->target;
    for (const size_t i : {0, 1}) plain->set(to[i], dueling->get(from[i]));
    for (const auto& [v, a, i] : {std::tuple{"v_w", "a_w", size_t{2}}, {"v_b", "a_b", size_t{3}}}) {
      auto w = centred(dueling->get(from[p(a)]), 9, 1);
      const auto value = dueling->get(from[p(v)]);
      for (size_t k = 0; k < w.size(); ++k) w[k] += value[k / 9];
      plain->set(to[i], w);
    }
  }
  for (HeadRig* rig : {dueling.get(), plain.get()}) {
    rig->infer();
    rig->learn();
  }
  for (const char* name : {"expected_q", "variance_q", "quantiles"}) {
    const auto a = dueling->output(name), b = plain->output(name);
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << name;
  }
  const auto loss = dueling->get(dueling->loss), same = plain->get(plain->loss);
  for (size_t i = 0; i < loss.size(); ++i) EXPECT_NEAR(loss[i], same[i], 1e-4 * std::max(1.0, loss[i]));
}

// The identity of rung 3.2: V_IQN = mean_a E_tau Q.
TEST(IqnDueling, StateValueIsTheMeanOfQOverTheActions) {
  for (const char* output : {"composed", "raw_advantage"}) {
    const auto rig = make_rig("iqn_dueling", {{"output", output}}, 64, 32, 9, 32);
    const auto composed = make_rig("iqn_dueling", {}, 64, 32, 9, 32);
    rig->infer();
    composed->infer();
    const auto value = rig->output("state_value"), advantage = rig->output("advantage"), q = composed->output("expected_q");
    for (size_t s = 0; s < 64; ++s) {
      double mean = 0;
      for (size_t a = 0; a < 9; ++a) mean += q[s * 9 + a] / 9;
      EXPECT_NEAR(value[s], mean, 1e-5) << output;
      for (size_t a = 0; a < 9; ++a) EXPECT_NEAR(advantage[s * 9 + a], q[s * 9 + a] - mean, 1e-5) << output;
    }
  }
}

// Rung 3.1-fix: the two outputs differ by a number a state. What the program makes of them (the best action, a softmax, the
// correlation with the policy) cannot tell them apart.
TEST(IqnDueling, RawAdvantageAndComposedQAreTheSameToEveryConsumer) {
  const auto composed = make_rig("iqn_dueling", {}, 64, 32, 9, 33), raw = make_rig("iqn_dueling", {{"output", "raw_advantage"}}, 64, 32, 9, 33);
  composed->infer();
  raw->infer();
  const auto q = composed->output("expected_q"), a = raw->output("expected_q");
  const auto logits = normal(64 * 9, 77);
  double widest = 0;
  for (size_t s = 0; s < 64; ++s) {
    const double shift = q[s * 9] - a[s * 9];
    widest = std::max(widest, std::abs(shift));
    std::vector<double> p, r;
    for (size_t n = 0; n < 9; ++n) {
      EXPECT_NEAR(q[s * 9 + n] - a[s * 9 + n], shift, 1e-5);
      p.push_back(q[s * 9 + n]);
      r.push_back(a[s * 9 + n]);
    }
    EXPECT_EQ(std::max_element(p.begin(), p.end()) - p.begin(), std::max_element(r.begin(), r.end()) - r.begin());
    const auto softmax = [](std::vector<double> x) {
      const double highest = *std::max_element(x.begin(), x.end());
      double sum = 0;
      for (double& v : x) sum += v = std::exp((v - highest) / 0.1);
      for (double& v : x) v /= sum;
      return x;
    };
    const auto correlation = [&](const std::vector<double>& x) {
      double mx = 0, my = 0, xy = 0, xx = 0, yy = 0;
      for (size_t n = 0; n < 9; ++n) mx += x[n] / 9, my += logits[s * 9 + n] / 9;
      for (size_t n = 0; n < 9; ++n) {
        const double dx = x[n] - mx, dy = logits[s * 9 + n] - my;
        xy += dx * dy, xx += dx * dx, yy += dy * dy;
      }
      return xy / std::sqrt(xx * yy);
    };
    const auto sp = softmax(p), sr = softmax(r);
    for (size_t n = 0; n < 9; ++n) EXPECT_NEAR(sp[n], sr[n], 1e-4);
    EXPECT_NEAR(correlation(p), correlation(r), 1e-5);
  }
  EXPECT_GT(widest, 0.1);
  // Nor does what the head learns know of what it hands out.
  composed->learn();
  raw->learn();
  for (size_t i = 0; i < raw->gradient.size(); ++i) EXPECT_EQ(raw->get(raw->gradient[i]), composed->get(composed->gradient[i]));
}

// What a head reads it must be given.
TEST(DuelingHeads, AValueThatIsReadAndNotGivenIsRefused) {
  const HeadRig rig("dueling_q", {{"value", "scalar"}}, 4, 3, 2);
  EXPECT_TRUE(rig.head.reads_value());
  EXPECT_FALSE(HeadRig("dueling_q", {}, 4, 3, 2).head.reads_value());
  EXPECT_FALSE(HeadRig("dueling_c51", {{"value", "per_atom"}}, 4, 3, 2).head.reads_value());
  EXPECT_TRUE(HeadRig("dueling_c51", {{"value", "per_atom"}, {"target", "broadcast"}}, 4, 3, 2).head.reads_value());
}

}  // namespace
}  // namespace foxhunt::plugins
