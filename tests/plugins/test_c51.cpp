#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "c51_reference.hpp"
#include "head_rig.hpp"

namespace foxhunt::plugins {
namespace {

using c51::logits;
using c51::Reference;
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Case {
  Settings settings;
  Reference reference;
  int64_t batch, hidden;
};

Case make_case(const std::string& selection, int64_t batch = 64, int64_t hidden = 32, size_t n = 9,
               size_t z = 21, const std::string& v_min = "-3", const std::string& v_max = "3",
               const std::string& t = "0.5") {
  return {{{"atoms", std::to_string(z)},
           {"v_max", v_max},
           {"v_min", v_min},
           {"select", selection},
           {"select_temperature", t}},
          {n, z, std::stod(v_min), std::stod(v_max), selection, std::stod(t)},
          batch,
          hidden};
}

/// A head on random input; rewards reach beyond both ends of the support, a quarter of the samples
/// terminates.
std::unique_ptr<HeadRig> make_rig(const Case& c, uint64_t seed,
                                  compute::Profile profile = compute::Profile::fast, int threads = 2) {
  auto rig = std::make_unique<HeadRig>("c51", c.settings, c.batch, c.hidden,
                                       static_cast<int64_t>(c.reference.n), profile, threads);
  uint64_t stream = seed * 100;
  for (const auto& group : {rig->online, rig->target})
    for (const auto id : group) rig->set(id, normal(rig->count(id), ++stream, 0.3));
  rig->set(rig->h, normal(rig->count(rig->h), ++stream));
  rig->set(rig->h_next, normal(rig->count(rig->h_next), ++stream));
  rig->set(rig->reward, normal(rig->count(rig->reward), ++stream, 2));
  std::mt19937_64 random(++stream);
  std::vector<double> action, discount;
  for (int64_t i = 0; i < c.batch; ++i) {
    action.push_back(static_cast<double>(random() % c.reference.n));
    discount.push_back(random() % 4 == 0 ? 0 : static_cast<double>(0.97f));
  }
  rig->set(rig->action, action);
  rig->set(rig->discount, discount);
  return rig;
}

class C51Selection : public testing::TestWithParam<std::string> {};

TEST_P(C51Selection, TargetLossAndGradientsAgreeWithPlainDouble) {
  for (const Case& c : {make_case(GetParam()), make_case(GetParam(), 33, 7, 4, 51, "0", "10")}) {
    const Reference& ref = c.reference;
    const auto rig = make_rig(c, 11);
    rig->learn();
    const size_t width = ref.n * ref.z, batch = static_cast<size_t>(c.batch),
                 hidden = static_cast<size_t>(c.hidden);
    const auto h = rig->get(rig->h), w = rig->get(rig->online[0]);
    const auto now = logits(h, w, rig->get(rig->online[1]));
    const auto next_target =
        logits(rig->get(rig->h_next), rig->get(rig->target[0]), rig->get(rig->target[1]));
    const auto next_online = logits(rig->get(rig->h_next), w, rig->get(rig->online[1]));
    const auto reward = rig->get(rig->reward), discount = rig->get(rig->discount);
    const auto target = rig->get(rig->target_out), loss = rig->get(rig->loss);
    std::mt19937_64 random(11 * 100 + 8);
    std::vector<double> d_logits(batch * width, 0);
    for (size_t s = 0; s < batch; ++s) {
      const size_t a = random() % ref.n;
      random();
      const auto m = ref.target(&next_target[s * width], &next_online[s * width], reward[s], discount[s]);
      const auto p = ref.probabilities(&now[s * width + a * ref.z]);
      double expected = 0;
      for (size_t i = 0; i < ref.z; ++i) {
        EXPECT_NEAR(target[s * ref.z + i], m[i], 2e-5) << "sample " << s << " atom " << i;
        expected -= m[i] * std::log(p[i]);
        d_logits[s * width + a * ref.z + i] = (p[i] - m[i]) / static_cast<double>(batch);
      }
      EXPECT_NEAR(loss[s], expected, 1e-4 * std::max(1.0, expected));
    }
    const auto dw = rig->get(rig->gradient[0]), db = rig->get(rig->gradient[1]), dh = rig->get(rig->grad_h);
    for (size_t j = 0; j < width; ++j) {
      double sum = 0;
      for (size_t s = 0; s < batch; ++s) sum += d_logits[s * width + j];
      EXPECT_NEAR(db[j], sum, 2e-6);
      for (size_t i = 0; i < hidden; ++i) {
        double product = 0;
        for (size_t s = 0; s < batch; ++s) product += h[s * hidden + i] * d_logits[s * width + j];
        EXPECT_NEAR(dw[i * width + j], product, 5e-6);
      }
    }
    for (size_t s = 0; s < batch; ++s)
      for (size_t i = 0; i < hidden; ++i) {
        double product = 0;
        for (size_t j = 0; j < width; ++j) product += d_logits[s * width + j] * w[i * width + j];
        EXPECT_NEAR(dh[s * hidden + i], product, 5e-6);
      }
  }
}

// d(mean loss)/d(every parameter and h) against central differences, everything in double.
TEST_P(C51Selection, CentralDifferences) {
  const Case c = make_case(GetParam(), 6, 5, 3, 7);
  const auto rig = make_rig(c, 5, compute::Profile::real64);
  const auto mean_loss = [&] {
    rig->learn();
    const auto l = rig->get(rig->loss);
    return std::accumulate(l.begin(), l.end(), 0.0) / static_cast<double>(l.size());
  };
  mean_loss();
  const std::vector<std::pair<compute::TensorId, compute::TensorId>> pairs = {
      {rig->online[0], rig->gradient[0]}, {rig->online[1], rig->gradient[1]}, {rig->h, rig->grad_h}};
  for (const auto& [variable, gradient] : pairs) {
    rig->learn();
    const auto analytic = rig->get(gradient);
    auto values = rig->get(variable);
    for (size_t i = 0; i < values.size(); ++i) {
      const double at = values[i], step = 1e-5;
      values[i] = at + step;
      rig->set(variable, values);
      const double above = mean_loss();
      values[i] = at - step;
      rig->set(variable, values);
      const double below = mean_loss();
      values[i] = at;
      rig->set(variable, values);
      EXPECT_NEAR(analytic[i], (above - below) / (2 * step), 1e-6 * std::max(1e-2, std::abs(analytic[i])));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, C51Selection, testing::Values("target", "double", "expected_sarsa"));

TEST(C51, InferAgreesWithPlainDouble) {
  const Case c = make_case("target");
  const auto rig = make_rig(c, 3);
  rig->infer();
  const auto y = logits(rig->get(rig->h), rig->get(rig->online[0]), rig->get(rig->online[1]));
  const auto q = rig->output("expected_q"), variance = rig->output("variance_q"),
             lp = rig->output("log_probs");
  for (size_t row = 0; row < q.size(); ++row) {
    const auto p = c.reference.probabilities(&y[row * 21]);
    const double mean = c.reference.mean(p);
    double second = 0, sum = 0;
    for (size_t i = 0; i < 21; ++i) {
      const double value = -3 + 0.3 * static_cast<double>(i) - mean;
      second += p[i] * value * value;
      sum += std::exp(lp[row * 21 + i]);
      EXPECT_NEAR(lp[row * 21 + i], std::log(p[i]), 2e-5);
    }
    EXPECT_NEAR(q[row], mean, 1e-5);
    EXPECT_NEAR(variance[row], second, 2e-5);
    EXPECT_NEAR(sum, 1, 2e-6);
  }
  const auto support = rig->output("support");
  for (size_t i = 0; i < 21; ++i) EXPECT_NEAR(support[i], -3 + 0.3 * static_cast<double>(i), 1e-6);
}

struct Landing {
  size_t atom;  ///< that the next distribution has (nearly) all its mass on
  double reward, discount;
};

/// Projected targets [landing, atom]. Hidden units select the atom: h_next is one-hot.
std::vector<double> project(const std::vector<Landing>& landings, const std::string& v_min = "-3",
                            const std::string& v_max = "3") {
  const size_t z = 21, batch = landings.size();
  HeadRig rig("c51", {{"v_max", v_max}, {"v_min", v_min}}, static_cast<int64_t>(batch), z, 1);
  std::vector<double> w(z * z, -200), h(batch * z, 0), reward, discount;
  for (size_t i = 0; i < z; ++i) w[i * z + i] = 0;
  for (size_t s = 0; s < batch; ++s) {
    h[s * z + landings[s].atom] = 1;
    reward.push_back(landings[s].reward);
    discount.push_back(landings[s].discount);
  }
  rig.set(rig.target[0], w);
  rig.set(rig.h_next, h);
  rig.set(rig.reward, reward);
  rig.set(rig.discount, discount);
  rig.learn();
  return rig.get(rig.target_out);
}

TEST(C51, ValueOnAnAtomKeepsAllItsMass) {
  std::vector<Landing> landings;
  std::vector<size_t> expected;
  for (size_t atom = 0; atom <= 20; ++atom)
    for (int shift = -20; shift <= 20; ++shift) {
      landings.push_back({atom, 0.3 * shift, 1});
      expected.push_back(static_cast<size_t>(std::clamp(static_cast<int>(atom) + shift, 0, 20)));
      landings.push_back({atom, 0.3 * shift, 0});  // terminated: the value is the reward alone
      expected.push_back(static_cast<size_t>(std::clamp(10 + shift, 0, 20)));
    }
  const auto m = project(landings);
  for (size_t s = 0; s < landings.size(); ++s)
    EXPECT_NEAR(m[s * 21 + expected[s]], 1, 2e-6)
        << "atom " << landings[s].atom << " reward " << landings[s].reward;
}

TEST(C51, ZeroIsAValueOfVMin) {
  const auto m = project({{4, 0.25, 1}, {4, -100, 1}}, "0", "20");
  EXPECT_NEAR(m[4], 0.75, 1e-6);
  EXPECT_NEAR(m[5], 0.25, 1e-6);
  EXPECT_NEAR(m[21], 1, 1e-6);
}

TEST(C51, MassOfEveryTargetIsOne) {
  for (const size_t z : {2u, 21u, 1001u})
    for (const char* selection : {"target", "expected_sarsa"}) {
      const Case c = make_case(selection, 256, 8, 9, z);
      const auto rig = make_rig(c, 21);
      rig->learn();
      const auto m = rig->get(rig->target_out);
      for (size_t s = 0; s < 256; ++s) {
        double sum = 0;
        for (size_t i = 0; i < z; ++i) {
          EXPECT_GE(m[s * z + i], 0);
          sum += m[s * z + i];
        }
        EXPECT_NEAR(sum, 1, 1e-6) << z << " atoms";
      }
    }
}

// Equal means, different distributions: the action with the lowest index gives the target.
TEST(C51, TiesGoToTheLowestIndex) {
  HeadRig rig("c51", {}, 1, 1, 2);
  std::vector<double> bias(42, -200);
  bias[8] = bias[12] = 0;
  bias[21 + 10] = 0;
  rig.set(rig.target[1], bias);
  rig.set(rig.discount, {1});
  rig.learn();
  const auto m = rig.get(rig.target_out);
  EXPECT_NEAR(m[8], 0.5, 1e-6);
  EXPECT_NEAR(m[12], 0.5, 1e-6);
}

// The Boltzmann policy does not depend on the scale of Q, and is uniform where Q has no spread.
TEST(C51, BoltzmannIsScaleInvariantAndUniformWithoutSpread) {
  const auto mixture = [](double scale) {
    // Two atoms: p is free, and the target with reward 0, discount 1 is the mixture itself.
    HeadRig rig("c51", {{"atoms", "2"}, {"select", "expected_sarsa"}, {"select_temperature", "1"}}, 1, 1, 3);
    std::vector<double> bias;
    for (const double q : {0.3, -0.1, -0.2}) {
      const double p = 0.5 + scale * q;
      bias.push_back(std::log(1 - p));
      bias.push_back(std::log(p));
    }
    rig.set(rig.target[1], bias);
    rig.set(rig.reward, {0});
    rig.set(rig.discount, {1});
    rig.learn();
    return rig.get(rig.target_out)[1] - 0.5;
  };
  const double one = mixture(1), tenth = mixture(0.1);
  EXPECT_NEAR(one, 10 * tenth, 1e-5);
  EXPECT_GT(one, 0.1);
  EXPECT_NEAR(mixture(0), 0, 1e-6);
}

TEST(C51, BadNumbersShowInTheLoss) {
  const Case c = make_case("target", 4, 3, 2, 5);
  const auto rig = make_rig(c, 2);
  rig->set(rig->reward, {0, std::nan(""), 1, INFINITY});
  rig->learn();
  const auto loss = rig->get(rig->loss);
  EXPECT_TRUE(std::isfinite(loss[0]) && std::isfinite(loss[2]) && std::isfinite(loss[3]));
  EXPECT_TRUE(std::isnan(loss[1]));
}

TEST(C51, SameBitsWithAnyNumberOfThreads) {
  const Case c = make_case("double", 256, 64);
  std::vector<std::vector<double>> first;
  for (const int threads : {1, 2, 3}) {
    const auto rig = make_rig(c, 9, compute::Profile::fast, threads);
    rig->learn();
    rig->infer();
    std::vector<std::vector<double>> all = {rig->get(rig->gradient[0]), rig->get(rig->gradient[1]),
                                            rig->get(rig->loss), rig->get(rig->grad_h),
                                            rig->output("log_probs")};
    if (threads == 1) first = all;
    EXPECT_EQ(first, all) << threads << " threads";
  }
}

// Built by clang++ with libc++, loaded into a program built by g++ with libstdc++, both at once: the same
// bits.
TEST(C51, FromAnotherCompilerAndLibrary) {
  const std::filesystem::path file = FOXHUNT_CLANG_C51;
  if (file.empty()) GTEST_SKIP() << "needs clang++ with libc++, and a build without sanitizers";
  Registry registry({{file.parent_path(), true}});
  HeadRig theirs("c51", {}, 32, 8, 9, compute::Profile::fast, 2, registry), ours("c51", {}, 32, 8, 9);
  for (HeadRig* rig : {&theirs, &ours}) {
    for (const auto id : {rig->online[0], rig->target[0], rig->h, rig->h_next, rig->reward, rig->discount})
      rig->set(id, normal(rig->count(id), id));
    rig->learn();
    rig->infer();
  }
  EXPECT_EQ(theirs.get(theirs.gradient[0]), ours.get(ours.gradient[0]));
  EXPECT_EQ(theirs.output("log_probs"), ours.output("log_probs"));
  try {
    HeadRig("c51", {{"v_min", "4"}}, 2, 2, 2, compute::Profile::fast, 1, registry);
    FAIL() << "v_min above v_max was accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("v_min (4) must be below v_max (3)"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace foxhunt::plugins
