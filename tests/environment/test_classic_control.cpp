// CartPole and Acrobot: how episodes begin and end. One step's dynamics are held to plain double precision in
// tests/kernels, and to Gymnasium itself by gymnasium_test.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <foxhunt/error.hpp>

#include "control_rig.hpp"

namespace foxhunt::environment::test {
namespace {

using enum ClassicControl::Task;

// A policy that balances the pole for good.
int32_t balance(const float* s) { return s[2] + 0.3f * s[3] + 0.05f * s[0] + 0.1f * s[1] > 0 ? 1 : 0; }

// Adds energy: with the second link's motion.
int32_t swing(const float* s) { return s[3] > 0 ? 2 : 0; }

template <class Policy>
std::vector<int32_t> actions_of(const ControlRig& rig, Policy&& policy) {
  const std::vector<float> s = rig.states();
  std::vector<int32_t> a;
  for (size_t i = 0; i < s.size(); i += 4) a.push_back(policy(&s[i]));
  return a;
}

TEST(CartPole, ABalancedPoleIsTruncatedAfter500Steps) {
  ControlRig rig(cartpole, 3);
  for (int t = 1; t < 500; ++t) {
    rig.step(actions_of(rig, balance));
    ASSERT_EQ(rig.get<uint8_t>(rig.done), std::vector<uint8_t>(3, 0)) << t;
  }
  rig.step(actions_of(rig, balance));
  EXPECT_EQ(rig.get<uint8_t>(rig.done), std::vector<uint8_t>(3, 2));
  EXPECT_EQ(rig.get<double>(rig.equity), std::vector<double>(3, 500));
  const std::vector<float> last = rig.observe();
  EXPECT_EQ(last, rig.states()) << "the true last observation is there to bootstrap from";

  rig.step(0);
  EXPECT_EQ(rig.get<uint8_t>(rig.valid), std::vector<uint8_t>(3, 0));
  EXPECT_EQ(rig.get<uint8_t>(rig.done), std::vector<uint8_t>(3, 0));
  EXPECT_EQ(rig.get<float>(rig.reward), std::vector<float>(3, 0));
  EXPECT_EQ(rig.get<int64_t>(rig.task.episodes), std::vector<int64_t>(3, 1));
  EXPECT_NE(rig.observe(), last);
  for (const float v : rig.states()) EXPECT_LE(std::abs(v), 0.05f);
  rig.step(0);
  EXPECT_EQ(rig.get<uint8_t>(rig.valid), std::vector<uint8_t>(3, 1));
  EXPECT_EQ(rig.get<double>(rig.equity), std::vector<double>(3, 1));
}

TEST(CartPole, EndsBeyondItsLimitsAndNotOnThem) {
  ControlRig rig(cartpole, 6);
  const float twelve = 0.20943951f;
  rig.set_states({2.39f, 0.4f, 0, 0,   2.39f, 0.6f, 0, 0,   -2.39f, -0.6f, 0, 0,
                  0, 0, 0.2f, 0.4f,    0, 0, 0.2f, 0.6f,    0, 0, -twelve, -0.1f});
  rig.step(1);
  EXPECT_EQ(rig.get<uint8_t>(rig.done), (std::vector<uint8_t>{0, 1, 1, 0, 1, 1}));
  EXPECT_EQ(rig.get<float>(rig.reward), std::vector<float>(6, 1)) << "the step that ends an episode counts, too";
}

TEST(CartPole, ATerminalStateOnTheLastStepIsTerminal) {
  ControlRig rig(cartpole, 1, 1, 1, 1);
  rig.set_states({2.39f, 0.6f, 0, 0});
  rig.step(1);
  EXPECT_EQ(rig.get<uint8_t>(rig.done)[0], 1);
}

TEST(CartPole, PushedAtRandomThePoleFallsAfterTwentyTwoSteps) {
  const int64_t n = 400;
  ControlRig rig(cartpole, n);
  double sum = 0, ended = 0;
  uint64_t random = 1;
  for (int t = 0; t < 400; ++t) {
    std::vector<int32_t> a;
    for (int64_t i = 0; i < n; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      a.push_back(static_cast<int32_t>(random >> 63));
    }
    rig.step(a);
    const auto done = rig.get<uint8_t>(rig.done);
    const auto score = rig.get<double>(rig.equity);
    for (size_t i = 0; i < done.size(); ++i)
      if (done[i]) sum += score[i], ended += 1;
  }
  ASSERT_GT(ended, 5000);
  EXPECT_NEAR(sum / ended, 22.2, 0.7);
}

TEST(Acrobot, WithoutATorqueItHangsForAllOf500Steps) {
  ControlRig rig(acrobot, 2);
  for (int t = 0; t < 500; ++t) rig.step(1);
  EXPECT_EQ(rig.get<uint8_t>(rig.done), std::vector<uint8_t>(2, 2));
  EXPECT_EQ(rig.get<double>(rig.equity), std::vector<double>(2, -500));
}

TEST(Acrobot, SwungUpItTerminatesAndTheLastStepCostsNothing) {
  const int64_t n = 50;
  ControlRig rig(acrobot, n);
  std::vector<double> score(static_cast<size_t>(n), 0);
  for (int t = 0; t < 500; ++t) {
    rig.step(actions_of(rig, swing));
    const auto done = rig.get<uint8_t>(rig.done);
    for (size_t i = 0; i < score.size(); ++i) {
      if (done[i] != 1 || score[i] != 0) continue;
      score[i] = rig.get<double>(rig.equity)[i];
      EXPECT_EQ(score[i], -t) << "the last of its steps cost nothing";
      EXPECT_EQ(rig.get<float>(rig.reward)[i], 0);
      const std::vector<float> s = rig.states();
      EXPECT_GT(-std::cos(s[4 * i]) - std::cos(s[4 * i] + s[4 * i + 1]), 1);
    }
  }
  EXPECT_LT(std::count(score.begin(), score.end(), 0.0), 5) << "almost all come up";
}

TEST(Acrobot, ObservesAnglesAsSineAndCosine) {
  // Sine and cosine at once: within 2 units of the last place up to half a turn, within 1e-7 far beyond.
  const int64_t n = 100'000;
  ControlRig rig(acrobot, n);
  std::vector<float> s;
  for (int64_t i = 0; i < n; ++i) {
    const double near = 2 * M_PI * (static_cast<double>(i) / n - 0.5);
    s.insert(s.end(), {static_cast<float>(near), static_cast<float>(near * 1500), 0.25f, -0.5f});
  }
  rig.set_states(s);
  const std::vector<float> x = rig.observe();
  double near = 0, far = 0;
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
    const double a = s[4 * i], b = s[4 * i + 1];
    near = std::max({near, std::abs(x[6 * i] - std::cos(a)), std::abs(x[6 * i + 1] - std::sin(a))});
    far = std::max({far, std::abs(x[6 * i + 2] - std::cos(b)), std::abs(x[6 * i + 3] - std::sin(b))});
    ASSERT_EQ(x[6 * i + 4], 0.25f);
    ASSERT_EQ(x[6 * i + 5], -0.5f);
  }
  EXPECT_LT(near, 9e-8);
  EXPECT_LT(far, 1e-7);
}

TEST(ClassicControl, BeginsAnywhereWithinItsSpread) {
  for (const auto& [task, spread] : {std::pair{cartpole, 0.05}, std::pair{acrobot, 0.1}}) {
    const int64_t n = 4000;
    ControlRig rig(task, n);
    for (int episode = 0; episode < 2; ++episode) {
      std::vector<float> s = rig.states();
      for (size_t variable = 0; variable < 4; ++variable) {
        double squares = 0, mean = 0, most = 0;
        for (size_t i = variable; i < s.size(); i += 4) {
          mean += s[i] / n;
          squares += s[i] * s[i] / n;
          most = std::max<double>(most, std::abs(s[i]));
        }
        EXPECT_NEAR(mean, 0, 4 * spread / std::sqrt(3.0 * n));
        EXPECT_NEAR(squares, spread * spread / 3, 4 * spread * spread * 0.298 / std::sqrt(1.0 * n));
        EXPECT_LE(most, spread);
        EXPECT_GT(most, 0.99 * spread);
      }
      // All accounts end: the next beginnings are the kernel's own.
      if (task == cartpole) {
        for (size_t i = 0; i < s.size(); i += 4) s[i] = 9;
        rig.set_states(s);
        rig.step(0);
        ASSERT_EQ(rig.get<uint8_t>(rig.done), std::vector<uint8_t>(n, 1));
      } else {
        for (size_t i = 0; i < s.size(); i += 4) s[i] = 3.14f, s[i + 1] = s[i + 2] = s[i + 3] = 0;
        rig.set_states(s);
        rig.step(1);
        ASSERT_EQ(rig.get<uint8_t>(rig.done), std::vector<uint8_t>(n, 1));
      }
      rig.step(1);
    }
  }
}

TEST(ClassicControl, AnAccountsNumbersDependOnNobodyElse) {
  for (const auto task : {cartpole, acrobot}) {
    const auto run = [&](int64_t accounts, int threads) {
      ControlRig rig(task, accounts, 5, threads, 40);
      std::vector<float> seen;
      for (int32_t t = 0; t < 120; ++t) {
        std::vector<int32_t> a;
        for (int32_t i = 0; i < accounts; ++i) a.push_back((3 * i + t + t * t / 7) % static_cast<int32_t>(rig.task.actions()));
        rig.step(a);
        const std::vector<float> s = rig.states();
        seen.insert(seen.end(), s.begin(), s.begin() + 12);
      }
      return seen;
    };
    const std::vector<float> three = run(3, 1);
    EXPECT_EQ(three, run(700, 1));
    EXPECT_EQ(three, run(700, 2));
  }
}

TEST(ClassicControl, ItsStateIsWhatACheckpointHolds) {
  const ControlRig rig(acrobot, 2);
  std::vector<std::string> names;
  for (const compute::TensorId id : rig.tensors().state()) names.push_back(rig.tensors()[id].name);
  EXPECT_EQ(names, (std::vector<std::string>{"/env/state", "/env/steps", "/env/ended", "/env/score", "/env/episodes"}));
}

TEST(ClassicControl, RefusesSizesThatMakeNoTask) {
  EXPECT_THROW(ClassicControl(cartpole, 0), Error);
  EXPECT_THROW(ClassicControl(cartpole, 1, 0), Error);
  EXPECT_EQ(make_classic_control("planted", 1), nullptr);
  EXPECT_EQ(make_classic_control("acrobot", 7)->features(), 6);
  EXPECT_EQ(make_classic_control("cartpole", 7)->actions(), 2);
}

}  // namespace
}  // namespace foxhunt::environment::test
