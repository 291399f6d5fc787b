// VSN + Mamba-2: values against the plain formulas, gradients against central differences.
#include <gtest/gtest.h>

#include "mamba2_rig.hpp"

namespace foxhunt::agent::test {
namespace {

using Form = Mamba2Chain::Form;
constexpr auto kDouble = compute::Profile::real64;

const Mamba2Shape kShapes[] = {
    //              T  B  F  H  K  e  P  N  conv
    {"OneChunk",    7, 3, 3, 4, 2, 2, 4, 3, 4, true},
    {"ManyChunks", 37, 2, 2, 3, 2, 2, 3, 2, 3, true},
    {"OneStep",     1, 3, 3, 4, 2, 2, 4, 3, 4, true},
    {"OneHead",     5, 2, 2, 2, 3, 3, 6, 1, 2, false},
    {"OneFeature", 17, 2, 1, 3, 2, 2, 2, 2, 2, false}};

class Mamba2 : public testing::TestWithParam<std::tuple<Mamba2Shape, Form>> {};

// h of all accounts by the plain formulas from the given start state; conv [B, conv - 1, mixed], ssm [B, N, channels].
std::vector<double> plain(const Mamba2Chain& chain, std::vector<double>& conv, std::vector<double>& ssm,
                          std::vector<double>& selection) {
  const Mamba2Shape& s = chain.shape_of;
  const Weights w = chain.weights();
  const std::vector<double> x = chain.rig.get("x"), valid = chain.rig.get("valid");
  const auto T = static_cast<size_t>(s.steps), B = static_cast<size_t>(s.accounts), F = static_cast<size_t>(s.features),
             H = static_cast<size_t>(s.hidden), C = static_cast<size_t>(s.channels()), N = static_cast<size_t>(s.state),
             K = static_cast<size_t>(s.conv - 1), M = static_cast<size_t>(s.mixed());
  std::vector<double> h((T + 1) * B * H);
  selection.assign(F, 0);
  for (size_t b = 0; b < B; ++b) {
    PlainMamba2 one(s, w);
    for (size_t k = 0; k < K; ++k)
      for (size_t c = 0; c < M; ++c) one.conv[k][c] = conv[(b * K + k) * M + c];
    for (size_t n = 0; n < N; ++n)
      for (size_t c = 0; c < C; ++c) one.state[c][n] = ssm[(b * N + n) * C + c];
    for (size_t t = 0; t <= T; ++t) {
      if (t > 0 && valid[(t - 1) * B + b] == 0) one.reset();
      if (t == T) {
        for (size_t k = 0; k < K; ++k)
          for (size_t c = 0; c < M; ++c) conv[(b * K + k) * M + c] = one.conv[k][c];
        for (size_t n = 0; n < N; ++n)
          for (size_t c = 0; c < C; ++c) ssm[(b * N + n) * C + c] = one.state[c][n];
      }
      const auto from = x.begin() + static_cast<long>((t * B + b) * F);
      const std::vector<double> row = one.step({from, from + static_cast<long>(F)});
      std::copy(row.begin(), row.end(), h.begin() + static_cast<long>((t * B + b) * H));
      for (size_t f = 0; f < F && t < T; ++f) selection[f] += one.selection[f] / static_cast<double>(T * B);
    }
  }
  return h;
}

TEST_P(Mamba2, IsThePlainFormula) {
  const auto& [shape, form] = GetParam();
  Mamba2Chain chain(shape, form, kDouble);
  std::vector<double> conv = chain.rig.get("/encoder/state/conv"), ssm = chain.rig.get("/encoder/state/ssm"), selection;
  const std::vector<double> wanted = plain(chain, conv, ssm, selection);
  chain.run();
  const std::vector<double> h = chain.rig.get("h");
  const size_t n = form == Form::steps ? h.size() : chain.count("grad_h");
  for (size_t i = 0; i < n; ++i) ASSERT_NEAR(h[i], wanted[i], 1e-9) << "element " << i;
  const std::vector<double> mean = chain.rig.get("pass/vsn_selection");
  for (size_t f = 0; f < mean.size(); ++f) EXPECT_NEAR(mean[f], selection[f], 1e-7);
  if (form == Form::sequence) return;
  const std::vector<double> conv_after = chain.rig.get("/encoder/state/conv"), ssm_after = chain.rig.get("/encoder/state/ssm");
  for (size_t i = 0; i < conv.size(); ++i) ASSERT_NEAR(conv_after[i], conv[i], 1e-9) << "conv " << i;
  for (size_t i = 0; i < ssm.size(); ++i) ASSERT_NEAR(ssm_after[i], ssm[i], 1e-9) << "ssm " << i;
}

TEST_P(Mamba2, GradientsOfEveryParameterAreTheLosss) {
  const auto& [shape, form] = GetParam();
  Mamba2Chain chain(shape, form, kDouble);
  const std::vector<double> conv = chain.rig.get("/encoder/state/conv"), ssm = chain.rig.get("/encoder/state/ssm");
  const auto loss = [&] {
    chain.rig.set("/encoder/state/conv", conv);
    chain.rig.set("/encoder/state/ssm", ssm);
    return chain.loss();
  };
  loss();
  std::vector<std::vector<double>> gradients;
  for (size_t i = 0; i < chain.group.size(); ++i) gradients.push_back(chain.rig.get(chain.group.gradient(i)));
  for (size_t i = 0; i < chain.group.size(); ++i) {
    const std::vector<double> weights = chain.rig.get(chain.group.online(i));
    double largest = 0;
    for (const double g : gradients[i]) largest = std::max(largest, std::abs(g));
    // A softmax over one feature is 1, whatever leads to it.
    const bool none = shape.features == 1 && chain.group.path(i).find("vsn_") != std::string::npos &&
                      chain.group.path(i).find("vsn_u") == std::string::npos &&
                      chain.group.path(i).find("vsn_c") == std::string::npos;
    EXPECT_TRUE(none || largest > 1e-4) << chain.group.path(i) << " has no gradient to check";
    for (size_t k = 0; k < weights.size(); ++k) {
      const auto at = [&](double by) {
        std::vector<double> moved = weights;
        moved[k] += by;
        chain.rig.set(chain.group.online(i), moved);
        return loss();
      };
      const double d = 5e-4, difference = (8 * (at(d) - at(-d)) - (at(2 * d) - at(-2 * d))) / (12 * d);
      ASSERT_NEAR(gradients[i][k], difference, 1e-6 * std::max(std::abs(difference), 0.01 * largest) + 1e-11)
          << chain.group.path(i) << " element " << k;
    }
    chain.rig.set(chain.group.online(i), weights);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Mamba2, testing::Combine(testing::ValuesIn(kShapes), testing::Values(Form::steps, Form::sequence)),
                         [](const auto& i) {
                           return std::string(std::get<0>(i.param).name) +
                                  (std::get<1>(i.param) == Form::steps ? "Steps" : "Sequence");
                         });

Mamba2Shape typical(int64_t steps, int64_t accounts) { return {"", steps, accounts, 11, 32, 8, 2, 16, 16, 4, true}; }

TEST(Mamba2Forms, AreEqualInFloatAsWell) {
  for (const int64_t steps : {1, 5, 16, 40}) {
    // Windows of the default length to 1e-5; rounding adds up over longer ones (either form is 1e-5 from double at 40).
    const double bound = steps <= 16 ? 1e-5 : 3e-5;
    Mamba2Chain a(typical(steps, 6), Form::steps, compute::Profile::fast),
        b(typical(steps, 6), Form::sequence, compute::Profile::fast);
    a.run();
    b.run();
    const std::vector<double> ha = a.rig.get("h"), hb = b.rig.get("h");
    for (size_t i = 0; i < a.count("grad_h"); ++i) 
      ASSERT_NEAR(ha[i], hb[i], bound * std::max(1.0, std::abs(ha[i]))) << steps << " steps, element " << i;
    for (size_t i = 0; i < a.group.size(); ++i) {
      const std::vector<double> ga = a.rig.get(a.group.gradient(i)), gb = b.rig.get(b.group.gradient(i));
      double largest = 0;
      for (const double g : ga) largest = std::max(largest, std::abs(g));
      for (size_t k = 0; k < ga.size(); ++k) ASSERT_NEAR(ga[k], gb[k], bound * largest) << a.group.path(i) << " " << k;
    }
  }
}

TEST(Mamba2Forms, HaveTheSameBitsForAnyNumberOfThreads) {
  for (const Form form : {Form::steps, Form::sequence}) {
    Mamba2Chain one(typical(20, 7), form, compute::Profile::fast, 1), three(typical(20, 7), form, compute::Profile::fast, 3);
    one.run();
    three.run();
    EXPECT_EQ(one.rig.get("h"), three.rig.get("h"));
    for (size_t i = 0; i < one.group.size(); ++i)
      EXPECT_EQ(one.rig.get(one.group.gradient(i)), three.rig.get(three.group.gradient(i))) << one.group.path(i);
  }
}

// Two windows one after the other are one window of twice the length: the last observation of the first is the first of
// the second, and has not moved anything on.
TEST(Mamba2Carried, GoesOnFromWindowToWindow) {
  const int64_t T = 9, B = 5;
  Mamba2Chain whole(typical(2 * T, B), Form::steps, compute::Profile::fast), half(typical(T, B), Form::steps, compute::Profile::fast);
  const std::vector<double> x = whole.rig.get("x"), valid = whole.rig.get("valid");
  for (const char* name : {"/encoder/state/conv", "/encoder/state/ssm"}) half.rig.set(name, whole.rig.get(name));
  whole.run();
  const std::vector<double> wanted = whole.rig.get("h");
  const auto rows = [&](const std::vector<double>& of, int64_t first, int64_t count, size_t width) {
    const auto from = of.begin() + first * B * static_cast<int64_t>(width);
    return std::vector<double>(from, from + count * B * static_cast<int64_t>(width));
  };
  for (int64_t window = 0; window < 2; ++window) {
    half.rig.set("x", rows(x, window * T, T + 1, 11));
    half.rig.set("valid", rows(valid, window * T, T, 1));
    half.run();
    EXPECT_EQ(half.rig.get("h"), rows(wanted, window * T, T + 1, 32)) << "window " << window;
  }
  EXPECT_EQ(half.rig.get("/encoder/state/ssm"), whole.rig.get("/encoder/state/ssm"));
  EXPECT_EQ(half.rig.get("/encoder/state/conv"), whole.rig.get("/encoder/state/conv"));
}

TEST(Mamba2Carried, IsZeroedByAReset) {
  Mamba2Chain chain(typical(3, 2), Form::steps, compute::Profile::fast);
  chain.pass->reset(chain.rig.compute());
  for (const char* name : {"/encoder/state/conv", "/encoder/state/ssm"})
    EXPECT_EQ(chain.rig.get(name), std::vector<double>(chain.count(name), 0)) << name;
}

TEST(Mamba2Accounts, DoNotTouchEachOther) {
  for (const Form form : {Form::steps, Form::sequence}) {
    Mamba2Chain chain(typical(6, 4), form, compute::Profile::fast);
    const std::vector<double> conv = chain.rig.get("/encoder/state/conv"), ssm = chain.rig.get("/encoder/state/ssm");
    chain.run();
    const std::vector<double> before = chain.rig.get("h");
    std::vector<double> x = chain.rig.get("x");
    for (size_t i = 0; i < x.size(); ++i)
      if (i / 11 % 4 == 2) x[i] = std::nan("");
    chain.rig.set("x", x);
    chain.rig.set("/encoder/state/conv", conv);
    chain.rig.set("/encoder/state/ssm", ssm);
    chain.run();
    const std::vector<double> after = chain.rig.get("h");
    for (size_t i = 0; i < chain.count("grad_h"); ++i) {
      if (i / 32 % 4 == 2)
        EXPECT_TRUE(std::isnan(after[i]));
      else
        EXPECT_EQ(after[i], before[i]);
    }
  }
}

// Not even an infinity comes through the border of an episode: h behind it is what it is without a past.
TEST(Mamba2Episodes, KeepNothingOfTheOneBefore) {
  for (const Form form : {Form::steps, Form::sequence})
    for (const int64_t steps : {8, 24}) {
      Mamba2Chain chain(typical(steps, 3), form, compute::Profile::fast);
      std::vector<double> valid(chain.count("valid"), 1);
      for (size_t b = 0; b < 3; ++b) valid[4 * 3 + b] = 0;
      chain.rig.set("valid", valid);
      const std::vector<double> conv = chain.rig.get("/encoder/state/conv"), x = chain.rig.get("x");
      const auto run = [&](double past, double first) {
        for (const char* side : {"/encoder/state/", "pass/start/"}) {
          chain.rig.set((side + std::string("ssm")).c_str(), std::vector<double>(chain.count("/encoder/state/ssm"), past));
          chain.rig.set((side + std::string("conv")).c_str(), conv);
        }
        std::vector<double> moved = x;
        for (size_t i = 0; i < 4 * 3 * 11; ++i) moved[i] += first;
        chain.rig.set("x", moved);
        chain.run();
        const std::vector<double> h = chain.rig.get("h");
        return std::vector<double>(h.begin() + 5 * 3 * 32, h.begin() + static_cast<long>(chain.count("grad_h")));
      };
      const std::vector<double> wanted = run(0, 0);
      EXPECT_EQ(run(1e30, 1), wanted);
      EXPECT_EQ(run(HUGE_VAL, 0), wanted);
    }
}

TEST(Mamba2Parameters, AreNamedAsTheCheckpointHasThem) {
  Mamba2Chain chain(typical(2, 3), Form::steps, compute::Profile::fast);
  std::map<std::string, std::string> shapes;
  for (const compute::TensorId id : chain.rig.tensors.state())
    shapes[chain.rig.tensors[id].name] = compute::to_string(chain.rig.tensors[id].shape);
  const std::map<std::string, std::string> wanted{
      {"vsn_w1", "[11, 8]"},  {"vsn_b1", "[8]"},       {"vsn_w2", "[8, 11]"},  {"vsn_b2", "[11]"},  {"vsn_u", "[11, 32]"},
      {"vsn_c", "[11, 32]"},  {"in_proj", "[32, 164]"}, {"conv_w", "[4, 96]"}, {"conv_b", "[96]"},  {"dt_bias", "[4]"},
      {"A_log", "[4]"},       {"D", "[4]"},            {"gate_gain", "[64]"},  {"out_proj", "[64, 32]"}, {"norm_gain", "[32]"}};
  for (const auto& [name, shape] : wanted)
    for (const char* kind : {"online", "adam/m", "adam/v"})
      EXPECT_EQ(shapes["/encoder/" + std::string(kind) + "/" + name], shape) << name;
  EXPECT_EQ(shapes["/encoder/state/conv"], "[3, 3, 96]");
  EXPECT_EQ(shapes["/encoder/state/ssm"], "[3, 16, 64]");
  EXPECT_EQ(shapes.size(), 3 * wanted.size() + 4);  // and Adam's two scalars
}

TEST(Mamba2Parameters, BeginAsInTheAuthorsCode) {
  Mamba2Shape s = typical(2, 3);
  s.hidden = 256;
  s.head_dim = 1;
  Mamba2Chain chain(s, Form::steps, compute::Profile::fast);
  chain.group.initialise(chain.rig.compute(), chain.rig.tensors, 5);
  Weights w = chain.weights();
  double rate = 0, step = 0;
  for (const double a : w["A_log"]) {
    EXPECT_GE(std::exp(a), 1);
    EXPECT_LE(std::exp(a), 16.0001);
    rate += std::exp(a) / 512;
  }
  EXPECT_NEAR(rate, 8.5, 0.6);
  for (const double b : w["dt_bias"]) {
    const double dt = std::log1p(std::exp(b));
    EXPECT_GE(dt, 0.999e-3);
    EXPECT_LE(dt, 0.1001);
    step += std::log10(dt) / 512;
  }
  EXPECT_NEAR(step, -2, 0.08);
  EXPECT_EQ(w["D"], std::vector<double>(512, 1));
  EXPECT_EQ(w["gate_gain"], std::vector<double>(512, 1));
  for (const auto& [name, bound] : std::map<std::string, double>{{"in_proj", 1 / 16.0}, {"out_proj", 1 / std::sqrt(512)}, {"conv_w", 0.5}, {"conv_b", 0.5}}) {
    double largest = 0;
    for (const double v : w[name]) largest = std::max(largest, std::abs(v));
    EXPECT_LE(largest, bound * 1.0001) << name;
    EXPECT_GT(largest, bound * 0.98) << name;
  }
}

TEST(Mamba2Parameters, ThatDoNotGoTogetherAreRefused) {
  ParameterGroup group("policy", "/optimizer/policy", false);
  EncoderSettings s = typical(1, 1).settings();
  s.head_dim = 24;
  const std::string e = error_of([&] { make_encoder(s, group); });
  for (const char* part : {"encoder.expand", "encoder.hidden", "encoder.head_dim = 24", "64"})
    EXPECT_NE(e.find(part), std::string::npos) << e;
}

}  // namespace
}  // namespace foxhunt::agent::test
