// What the rungs of the ladder promise of whole runs.
#include <gtest/gtest.h>

#include <foxhunt/checkpoints/diff.hpp>

#include "run.hpp"

namespace foxhunt::test {
namespace {

class Ladder : public testing::Test {
 protected:
  struct Trace {
    fs::path run;
    std::string fills;
  };
  Trace train(const std::string& name, const std::string& phase, Arguments more = {}, int iterations = 30) {
    const fs::path fills = scratch_ / (name + ".csv");
    Arguments a = small_run(name, iterations, {"--fills", fills.string(), "--eval.rows", "500"});
    a.insert(a.begin() + 1, FOXHUNT_SOURCE_DIR "/experiments/phases/" + phase + ".ini");
    a.insert(a.end(), more.begin(), more.end());
    const Outcome o = foxhunt(a, scratch_.folder());
    EXPECT_EQ(o.code, 0) << o.err;
    return {scratch_ / name, slurp(fills)};
  }

  static checkpoints::DiffResult difference(const Trace& a, const Trace& b, const std::vector<std::string>& more = {}) {
    checkpoints::DiffOptions options;
    options.ignore = {"/meta@config", "/meta@plugins", "/meta@kernels"};
    options.ignore.insert(options.ignore.end(), more.begin(), more.end());
    return checkpoints::diff(latest(a.run), latest(b.run), options);
  }

  static void expect_same(const Trace& a, const Trace& b, const std::vector<std::string>& ignored = {}) {
    const auto result = difference(a, b, ignored);
    EXPECT_TRUE(result.same()) << checkpoints::to_text(result);
    EXPECT_GT(result.tensors, 40u);
    EXPECT_GT(a.fills.size(), 10'000u);
    EXPECT_TRUE(a.fills == b.fills) << "orders filled differ";
  }

  Scratch scratch_;
};

// Rung 3.2c: before the blend begins nobody knows that it will.
TEST_F(Ladder, ABlendThatHasNotBegunIsTheScalarValueToTheBit) {
  const Trace scalar = train("scalar", "phase3_1_iqn_dueling");
  expect_same(scalar, train("blend", "phase3_2c_blend"));
  EXPECT_FALSE(difference(scalar, train("begun", "phase3_2c_blend", {"--value_baseline", "blend(scalar, iqn, 5, 10)"})).same()) << "the test can fail";
}

// Rung 4.2: whatever heads look on, everything else is the same, actions and PnL included.
TEST_F(Ladder, DuelingHeadsThatLookOnChangeNoBit) {
  const Trace alone = train("alone", "plan_a_v2");
  expect_same(alone, train("watched", "phase4_2_dueling_q"), {"/heads/dueling_q"});
  expect_same(alone,
              train("all", "plan_a_v2",
                    {"--heads", "c51 iqn u:dueling_q w:dueling_q d:dueling_c51 s:dueling_c51 r:iqn_dueling", "--w.value", "scalar",
                     "--s.target", "scalar_bootstrap"}),
              {"/heads/u", "/heads/w", "/heads/d", "/heads/s", "/heads/r"});
}

// Rung 3.1-fix: the ensembles differ by a number a state, of which no consumer takes notice but for rounding.
TEST_F(Ladder, TheRawAdvantageIsTheComposedQToAllConsumers) {
  const Trace composed = train("composed", "phase3_1_iqn_dueling", {}, 1), raw = train("raw", "phase3_1_fix", {}, 1);
  EXPECT_TRUE(composed.fills == raw.fills);
  const auto a = comparable_rows(composed.run), b = comparable_rows(raw.run);
  for (const char* key : {"q_pi_agree", "q_gap", "entropy", "l_distill", "l_pi", "l_iqn"})
    EXPECT_NEAR(number(a[0], key), number(b[0], key), 1e-4) << key;
}

// A head that trains V, with all of its state in the checkpoint.
TEST_F(Ladder, TheValueGradientOfAHeadSurvivesAResume) {
  const Arguments more{"--heads", "c51 iqn d:dueling_q", "--d.value", "scalar", "--ensemble", "c51:0.4 iqn:0.3 d:0.3"};
  const Trace whole = train("whole", "plan_a_v2", more, 30);
  train("parts", "plan_a_v2", more, 15);
  const Outcome o = foxhunt({"train", "--resume", "parts", "--trainer.iterations", "30"}, scratch_.folder());
  EXPECT_EQ(o.code, 0) << o.err;
  const auto result = checkpoints::diff(latest(whole.run), latest(scratch_ / "parts"), {});
  EXPECT_TRUE(result.same()) << checkpoints::to_text(result);
  const Trace own = train("own", "plan_a_v2", {"--heads", "c51 iqn d:dueling_q", "--ensemble", "c51:0.4 iqn:0.3 d:0.3"});
  EXPECT_FALSE(difference(whole, own).same());
}

// Every rung runs, without a rebuild.
TEST_F(Ladder, EveryPhaseRuns) {
  int phases = 0;
  for (const auto& entry : fs::directory_iterator(FOXHUNT_SOURCE_DIR "/experiments/phases")) {
    const std::string name = entry.path().stem().string();
    if (name == "collapse") continue;  // has a test of its own, and is stopped
    SCOPED_TRACE(name);
    train(name, name, {}, 2);
    ++phases;
  }
  EXPECT_GE(phases, 17);
}

}  // namespace
}  // namespace foxhunt::test
