// Encoder, policy and value: the whole backward pass against central differences in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "agent/actor_critic.hpp"
#include "agent/encoder.hpp"
#include "kernels/agent.hpp"
#include "rig.hpp"

namespace foxhunt::agent::test {
namespace {

constexpr int64_t kHorizon = 3, kAccounts = 4, kFeatures = 5, kHidden = 6, kActions = 9, kSamples = kHorizon * kAccounts;
constexpr double kEntropy = 0.3, kDistill = 0.7, kTemperature = 0.5, kClip = 0.2, kValueWeight = 0.4;

struct Case {
  const char* name;
  int64_t layers;
  Activation activation;
  bool norm;
};

// x -> encoder -> h -> policy and value -> loss of the on-policy update -> gradients of every parameter.
class Chain {
 public:
  explicit Chain(const Case& c) {
    EncoderSettings s;
    s.features = kFeatures;
    s.hidden = kHidden;
    s.layers = c.layers;
    s.activation = c.activation;
    s.norm = c.norm;
    encoder_ = make_encoder(s, group);
    actor_critic_ = std::make_unique<ActorCritic>(group, kHidden, kActions);
    group.declare(rig.tensors);
    // As in a rollout, one step more than is trained on.
    pass_ = encoder_->make_pass(rig.tensors, {"pass", kHorizon, kAccounts});
    const auto x = rig.add("x", shape(kHorizon + 1, kAccounts, kFeatures)), h = rig.add("h", shape(kHorizon + 1, kAccounts, kHidden));
    const auto logits = rig.add("logits", shape(kSamples, kActions)), value = rig.add("value", shape(kSamples));
    const auto action = rig.add("action", shape(kSamples), FH_I32), old = rig.add("old_log_prob", shape(kSamples));
    const auto advantage = rig.add("advantage", shape(kSamples)), target = rig.add("value_target", shape(kSamples));
    const auto valid = rig.add("valid", shape(kSamples), FH_U8), q = rig.add("q", shape(kSamples, kActions));
    const auto moments = rig.add("moments", shape(3), FH_F64), entropy = rig.add("entropy", shape(1));
    const auto series = rig.add("series", shape(6, kSamples));
    const auto grad_logits = rig.add("grad_logits", shape(kSamples, kActions)), grad_value = rig.add("grad_value", shape(kSamples));
    const auto grad_h = rig.add("grad_h", shape(kSamples, kHidden));
    rig.record([&](compute::Recording& m) {
      Recorder r = m.recorder();
      const fh_tensor xs = m.write(x), hs = m.write(h);
      for (int64_t t = 0; t < kHorizon; ++t) pass_->record_step(m, r.slice(xs, t), t, 0, r.slice(hs, t));
      pass_->record_last(m, r.slice(xs, kHorizon), 0, r.slice(hs, kHorizon));
      const fh_tensor seen = r.view(hs, 0, shape(kSamples, kHidden));
      actor_critic_->record_forward(m, seen, seen, m.write(logits), m.write(value));
      r.launch(kernels::policy_gradient, Grid::elements(kSamples),
               {in(m.read(logits)), in(m.read(action)), in(m.read(old)), in(m.read(advantage)), in(m.read(value)), in(m.read(value)),
                in(m.read(target)), in(m.read(valid)), in(m.read(valid)), in(m.read(q)), in(m.read(moments)), in(m.read(entropy)),
                out(m.write(grad_logits)), out(m.write(grad_value)), inout(m.write(series)), f32(kClip), f32(0), f32(kValueWeight),
                f32(kDistill), f32(kTemperature), i32(kSamples), i32(kSamples)},
               {constant("ACTIONS", kActions), constant("MASKED", 0)});
      actor_critic_->record_policy_backward(m, seen, m.read(grad_logits), m.write(grad_h));
      actor_critic_->record_value_backward(m, seen, m.read(grad_value), m.write(grad_h), true);
      pass_->record_backward(m, r.view(xs, 0, shape(kHorizon, kAccounts, kFeatures)), 0,
                             r.reshape(m.write(grad_h), shape(kHorizon, kAccounts, kHidden)));
    });
    for (size_t i = 0; i < group.size(); ++i) {
      const auto n = static_cast<size_t>(compute::elements_of(rig.tensors[group.online(i)].shape));
      rig.set(group.online(i), normal(n, 10 + i, 0.5));
    }
    const auto of = [&](const char* name) { return static_cast<size_t>(compute::elements_of(rig.tensors[rig.tensors.find(name)].shape)); };
    rig.set("x", normal(of("x"), 1));
    rig.set("q", normal(of("q"), 2));
    rig.set("advantage", normal(kSamples, 3));
    rig.set("value_target", normal(kSamples, 4));
    rig.set("moments", {kSamples - 2, 0.1, 0.8});
    rig.set("entropy", {kEntropy});
    std::vector<double> actions, valids;
    for (int64_t k = 0; k < kSamples; ++k) actions.push_back(static_cast<double>(k * 5 % kActions)), valids.push_back(k != 2 && k != 7);
    rig.set("action", actions);
    rig.set("valid", valids);
    // Ratios on both sides of the clip, and none at its kinks.
    rig.set("old_log_prob", std::vector<double>(kSamples, 0));
    rig.run();
    std::vector<double> log_prob = taken_log_probs(actions);
    const std::vector<double> shifts{0.05, -0.6, 0.5, -0.1, 0.09};
    for (size_t k = 0; k < log_prob.size(); ++k) log_prob[k] += shifts[k % shifts.size()];
    rig.set("old_log_prob", log_prob);
    rig.run();
  }

  double loss() {
    rig.run();
    const std::vector<double> s = rig.get("series"), valid = rig.get("valid");
    double sum = 0;
    for (size_t i = 0; i < kSamples; ++i)
      if (valid[i]) sum += s[i] - kEntropy * s[kSamples + i] + static_cast<double>(static_cast<float>(kDistill)) * s[2 * kSamples + i] +
                           static_cast<double>(static_cast<float>(kValueWeight)) * s[3 * kSamples + i];
    return sum / (kSamples - 2);
  }

  Rig rig{compute::Profile::real64};
  ParameterGroup group{"policy", "/optimizer/policy", false};

 private:
  std::vector<double> taken_log_probs(const std::vector<double>& actions) {
    const std::vector<double> logits = rig.get("logits");
    std::vector<double> result;
    for (size_t s = 0; s < kSamples; ++s) {
      double sum = 0;
      for (size_t a = 0; a < kActions; ++a) sum += std::exp(logits[s * kActions + a]);
      result.push_back(logits[s * kActions + static_cast<size_t>(actions[s])] - std::log(sum));
    }
    return result;
  }

  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<ActorCritic> actor_critic_;
  std::unique_ptr<Encoder::Pass> pass_;
};

class Gradients : public testing::TestWithParam<Case> {};

TEST_P(Gradients, OfEveryParameterAreTheLosss) {
  Chain chain(GetParam());
  Rig& rig = chain.rig;
  std::vector<std::vector<double>> gradients;
  for (size_t i = 0; i < chain.group.size(); ++i) gradients.push_back(rig.get(chain.group.gradient(i)));
  for (size_t i = 0; i < chain.group.size(); ++i) {
    const std::vector<double> weights = rig.get(chain.group.online(i));
    double largest = 0;
    for (const double g : gradients[i]) largest = std::max(largest, std::abs(g));
    EXPECT_GT(largest, 1e-4) << chain.group.path(i) << " has no gradient to check";
    for (size_t k = 0; k < weights.size(); ++k) {
      // Five points: the error falls with the fourth power of the distance.
      const auto at = [&](double by) {
        std::vector<double> moved = weights;
        moved[k] += by;
        rig.set(chain.group.online(i), moved);
        return chain.loss();
      };
      const double d = 1e-3, difference = (8 * (at(d) - at(-d)) - (at(2 * d) - at(-2 * d))) / (12 * d);
      ASSERT_NEAR(gradients[i][k], difference, 1e-6 * std::max(std::abs(difference), 0.01 * largest) + 1e-12)
          << chain.group.path(i) << " element " << k;
    }
    rig.set(chain.group.online(i), weights);
  }
}

INSTANTIATE_TEST_SUITE_P(Encoders, Gradients,
                         testing::Values(Case{"AsTrained", 1, Activation::silu, true}, Case{"Deep", 3, Activation::tanh, true},
                                         Case{"OneLayer", 0, Activation::silu, true}, Case{"WithoutNorm", 1, Activation::silu, false},
                                         Case{"OneLayerWithoutNorm", 0, Activation::tanh, false}, Case{"Elu", 2, Activation::elu, true},
                                         Case{"Linear", 1, Activation::identity, true}),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(GradientsOfInvalidSamples, AreExactlyZero) {
  Chain chain({"", 1, Activation::silu, true});
  const std::vector<double> logits = chain.rig.get("grad_logits"), value = chain.rig.get("grad_value");
  for (const size_t s : {2u, 7u}) {
    EXPECT_EQ(value[s], 0);
    for (size_t a = 0; a < kActions; ++a) EXPECT_EQ(logits[s * kActions + a], 0);
  }
  EXPECT_NE(value[3], 0);
}

TEST(Forward, IsThePlainFormula) {
  Chain chain({"", 1, Activation::silu, true});
  Rig& rig = chain.rig;
  const auto w0 = rig.get("/encoder/online/w0"), b0 = rig.get("/encoder/online/b0"), w1 = rig.get("/encoder/online/w1"),
             b1 = rig.get("/encoder/online/b1"), gain = rig.get("/encoder/online/norm_gain"), wp = rig.get("/policy/online/w"),
             bp = rig.get("/policy/online/b"), wv = rig.get("/value/online/w"), bv = rig.get("/value/online/b"), x = rig.get("x"),
             logits = rig.get("logits"), value = rig.get("value");
  const auto layer = [](const std::vector<double>& in, const std::vector<double>& w, const std::vector<double>& b) {
    std::vector<double> result = b;
    for (size_t i = 0; i < in.size(); ++i)
      for (size_t o = 0; o < b.size(); ++o) result[o] += in[i] * w[i * b.size() + o];
    return result;
  };
  for (size_t s = 0; s < kSamples; ++s) {
    std::vector<double> h(x.begin() + static_cast<long>(s * kFeatures), x.begin() + static_cast<long>((s + 1) * kFeatures));
    h = layer(h, w0, b0);
    for (double& v : h) v = v / (1 + std::exp(-v));
    h = layer(h, w1, b1);
    double squares = 0;
    for (const double v : h) squares += v * v / kHidden;
    for (size_t i = 0; i < h.size(); ++i) h[i] *= gain[i] / std::sqrt(squares + 1e-5);
    const std::vector<double> l = layer(h, wp, bp), v = layer(h, wv, bv);
    for (size_t a = 0; a < kActions; ++a) EXPECT_NEAR(logits[s * kActions + a], l[a], 1e-7);
    EXPECT_NEAR(value[s], v[0], 1e-7);
  }
}

}  // namespace
}  // namespace foxhunt::agent::test
