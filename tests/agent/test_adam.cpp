// Optimiser step, clip, soft update and the gate of replay.start.
#include <gtest/gtest.h>

#include <cmath>

#include "agent/parameters.hpp"
#include "rig.hpp"

namespace foxhunt::agent::test {
namespace {

fh_declared declared(const char* name, fh_shape s) {
  fh_declared d{};
  d.name = name;
  d.shape = s;
  d.dtype = FH_F32;
  d.init = FH_INIT_NORMAL;
  d.value = 1;
  return d;
}

/// A group of three tensors, its optimiser and, if asked for, another group stepped before it.
struct Optimiser {
  explicit Optimiser(const AdamSettings& s, int64_t start = 0, double tau = 0.1, bool neighbour = false) {
    group.add("/g", declared("a", shape(3, 5)));
    group.add("/g", declared("b", shape(70)));
    group.add("/g", declared("c", shape(1)));
    other.add("/other", declared("w", shape(33)));
    group.declare(rig.tensors);
    if (neighbour) other.declare(rig.tensors);
    const auto lr = rig.add("lr", shape(1)), ring = rig.add("ring", shape(2), FH_I32);
    rig.record([&](compute::Recording& r) {
      for (const ParameterGroup* g : {&other, &group}) {
        if (g == &other && !neighbour) continue;
        g->record_step(r, s, r.read(lr), ring, start);
        g->record_soft_update(r, tau);
      }
    });
    group.initialise(rig.compute(), rig.tensors, 1);
    group.upload_constants(rig.compute());
    if (neighbour) {
      other.initialise(rig.compute(), rig.tensors, 1);
      other.upload_constants(rig.compute());
      rig.set(other.gradient(0), std::vector<double>(33, 1e6));
    }
    rig.set("lr", {0.01});
  }

  std::vector<double> all(compute::TensorId (ParameterGroup::*of)(size_t) const) const {
    std::vector<double> values;
    for (size_t i = 0; i < group.size(); ++i) {
      const std::vector<double> part = rig.get((group.*of)(i));
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }
  std::vector<double> online() const { return all(&ParameterGroup::online); }
  std::vector<double> target() const { return all(&ParameterGroup::target); }
  std::vector<double> moments(const char* kind) const {
    std::vector<double> values;
    for (const char* name : {"a", "b", "c"}) {
      const std::vector<double> part = rig.get((std::string("/g/adam/") + kind + "/" + name).c_str());
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }
  std::vector<double> set_gradients(uint64_t seed, double size) {
    std::vector<double> values;
    for (size_t i = 0; i < group.size(); ++i) {
      const std::vector<double> g = normal(static_cast<size_t>(compute::elements_of(rig.tensors[group.gradient(i)].shape)), seed * 10 + i, size);
      rig.set(group.gradient(i), g);
      values.insert(values.end(), g.begin(), g.end());
    }
    return values;
  }

  Rig rig;
  ParameterGroup group{"g", "/optimizer/g", true}, other{"other", "/optimizer/other", true};
};

class Adam : public testing::TestWithParam<AdamSettings> {};

TEST_P(Adam, IsAlgorithmOneOfThePaper) {
  const AdamSettings s = GetParam();
  Optimiser o(s);
  std::vector<double> theta = o.online(), m(theta.size(), 0), v(theta.size(), 0);
  double moved = 0;
  for (int t = 1; t <= 60; ++t) {
    const double lr = 0.01 / t;
    o.rig.set("lr", {lr});
    // Some steps within the clip, most beyond it.
    const std::vector<double> g = o.set_gradients(static_cast<uint64_t>(t), t % 3 ? 1 : 0.01);
    double norm = 0;
    for (const double x : g) norm += x * x;
    norm = std::sqrt(norm);
    const double scale = s.clip > 0 && norm > s.clip ? s.clip / norm : 1;
    for (size_t i = 0; i < theta.size(); ++i) {
      m[i] = s.beta1 * m[i] + (1 - s.beta1) * scale * g[i];
      v[i] = s.beta2 * v[i] + (1 - s.beta2) * scale * g[i] * scale * g[i];
      const double mean = m[i] / (1 - std::pow(s.beta1, t)), square = v[i] / (1 - std::pow(s.beta2, t));
      theta[i] -= lr * mean / (std::sqrt(square) + s.epsilon);
    }
    moved += lr;
    o.rig.run();
    // The device keeps its moments and weights as floats, 1 - beta2 among them: 1.3e-5 of v.
    const std::vector<double> online = o.online(), first = o.moments("m"), second = o.moments("v");
    for (size_t i = 0; i < theta.size(); ++i) {
      ASSERT_NEAR(online[i], theta[i], 2e-5 * moved + 2e-6) << "step " << t << " element " << i;
      ASSERT_NEAR(first[i], m[i], 1e-5 * std::abs(m[i]) + 1e-6 * s.clip + 1e-7);
      ASSERT_NEAR(second[i], v[i], 2e-5 * v[i] + 1e-12);
    }
  }
  EXPECT_EQ(o.rig.get("/optimizer/g/t")[0], 60);
  EXPECT_NEAR(o.rig.get("/optimizer/g/beta_power")[0], std::pow(s.beta1, 60), 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Settings, Adam,
                         testing::Values(AdamSettings{}, AdamSettings{0.9, 0.999, 1e-5, 0.5}, AdamSettings{0.8, 0.99, 1e-2, 3},
                                         AdamSettings{0.9, 0.999, 0.01 / 128, 0}));

TEST(AdamBias, TheFirstStepIsTheLearningRateWhateverTheGradientsSize) {
  for (const double size : {1e-3, 1.0, 1e3}) {
    Optimiser o({});
    const std::vector<double> before = o.online(), g = o.set_gradients(1, size);
    o.rig.run();
    const std::vector<double> after = o.online();
    for (size_t i = 0; i < g.size(); ++i) {
      if (std::abs(g[i]) < 0.01 * size) continue;
      EXPECT_NEAR(after[i] - before[i], g[i] > 0 ? -0.01 : 0.01, 1e-5);
    }
  }
}

TEST(AdamEpsilon, LiesOutsideTheSquareRoot) {
  AdamSettings s;
  s.epsilon = 1;
  Optimiser o(s);
  const double before = o.online().back();
  o.set_gradients(1, 1);
  o.rig.set(o.group.gradient(2), {1.0});
  o.rig.run();
  EXPECT_NEAR(o.online().back() - before, -0.01 * 1 / (1 + 1.0), 1e-7) << "inside it would be 1 / sqrt(2)";
}

TEST(Clip, IsByTheNormOfTheWholeGroupAndOfNobodyElse) {
  AdamSettings s;
  s.clip = 0.5;
  Optimiser alone(s), beside(s, 0, 0.1, true);
  for (uint64_t t = 1; t < 5; ++t) {
    alone.set_gradients(t, 1);
    beside.set_gradients(t, 1);
    alone.rig.run();
    beside.rig.run();
  }
  EXPECT_EQ(alone.online(), beside.online()) << "another group's gradient of 1e6 enters the clip";
  EXPECT_EQ(alone.moments("v"), beside.moments("v"));
  // |m| after one step is (1 - beta1) clip: the norm over all three tensors, padding left out.
  Optimiser first(s);
  first.set_gradients(1, 1);
  first.rig.run();
  double squares = 0;
  for (const double m : first.moments("m")) squares += m * m;
  EXPECT_NEAR(std::sqrt(squares), 0.1 * 0.5, 1e-6);
}

TEST(Norms, AreOfEachTensor) {
  Optimiser o({});
  o.set_gradients(3, 2);
  o.rig.run();
  const std::vector<double> squares = o.rig.get(o.group.gradient_squares());
  ASSERT_EQ(squares.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (const double g : o.rig.get(o.group.gradient(i))) sum += g * g;
    EXPECT_NEAR(squares[i], sum, 1e-6 * sum);
  }
}

TEST(ReplayStart, NothingMovesBeforeAndBiasCorrectionBeginsThere) {
  Optimiser gated({}, 100), free({}, 0);
  const std::vector<double> before = gated.online();
  for (const double held : {0.0, 50.0, 99.0}) {
    gated.rig.set("ring", {0, held});
    gated.set_gradients(1, 1);
    gated.rig.run();
    EXPECT_EQ(gated.online(), before);
    EXPECT_EQ(gated.target(), before);
    EXPECT_EQ(gated.moments("m"), std::vector<double>(before.size(), 0));
    EXPECT_EQ(gated.moments("v"), std::vector<double>(before.size(), 0));
    EXPECT_EQ(gated.rig.get("/optimizer/g/t")[0], 0);
    EXPECT_EQ(gated.rig.get("/optimizer/g/beta_power"), (std::vector<double>{1, 1}));
  }
  gated.rig.set("ring", {0, 100});
  for (uint64_t t = 1; t < 4; ++t) {
    gated.set_gradients(t, 1);
    free.set_gradients(t, 1);
    gated.rig.run();
    free.rig.run();
  }
  EXPECT_EQ(gated.online(), free.online()) << "as if the waiting had never been";
  EXPECT_EQ(gated.target(), free.target());
  EXPECT_EQ(gated.rig.get("/optimizer/g/t")[0], 3);
}

TEST(SoftUpdate, MovesTheTargetATenthOfTheWay) {
  Optimiser o({});
  o.rig.set("lr", {0.0});
  for (size_t i = 0; i < 3; ++i) {
    const auto n = static_cast<size_t>(compute::elements_of(o.rig.tensors[o.group.online(i)].shape));
    o.rig.set(o.group.online(i), std::vector<double>(n, 1));
    o.rig.set(o.group.target(i), std::vector<double>(n, 0));
  }
  o.rig.run();
  for (const double t : o.target()) EXPECT_FLOAT_EQ(static_cast<float>(t), 0.1f);
  o.rig.run();
  for (const double t : o.target()) EXPECT_FLOAT_EQ(static_cast<float>(t), 0.19f);
  for (const double w : o.online()) EXPECT_EQ(w, 1);
}

TEST(SoftUpdate, FollowsTheStepOfTheSameUpdate) {
  Optimiser o({}, 0, 1);
  o.set_gradients(1, 1);
  o.rig.run();
  const std::vector<double> online = o.online(), target = o.target();
  for (size_t i = 0; i < online.size(); ++i) EXPECT_NEAR(target[i], online[i], 1e-6) << "tau 1 is a copy";
}

TEST(Gradient, ThatIsNoNumberIsNotHidden) {
  AdamSettings s;
  s.clip = 0.5;
  Optimiser o(s);
  o.set_gradients(1, 1);
  o.rig.set(o.group.gradient(2), {std::nan("")});
  o.rig.run();
  EXPECT_TRUE(std::isnan(o.online().back()));
  EXPECT_TRUE(std::isnan(o.rig.get(o.group.gradient_squares())[2])) << "its own tensor says so";
  EXPECT_FALSE(std::isnan(o.rig.get(o.group.gradient_squares())[0]));
}

}  // namespace
}  // namespace foxhunt::agent::test
