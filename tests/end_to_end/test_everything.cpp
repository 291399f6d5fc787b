// All parts of the agent switched on at once: isolation, resuming and replicas hold to the bit there, too.
#include <gtest/gtest.h>

#include <foxhunt/checkpoints/diff.hpp>

#include "run.hpp"

namespace foxhunt::test {
namespace {

// Once with the plain heads and a critic of its own, once with streams: a head that trains V, one that becomes the baseline,
// atoms for every action.
class Everything : public testing::TestWithParam<const char*> {
 protected:
  static Arguments parts() {
    if (GetParam() == std::string("plain")) return {"--heads", "c51 iqn", "--ensemble", "c51:0.5 iqn:0.5", "--policy.critic", "own"};
    return {"--heads",         "c51 iqn:iqn_dueling d:dueling_q",
            "--ensemble",      "c51:0.4 iqn:0.3 d:0.3",
            "--d.value",       "scalar",
            "--value_baseline", "blend(scalar, iqn, 3, 8)",
            "--policy.value_low", "-1",
            "--policy.value_high", "1",
            "--c51.per_action_support", "true"};
  }
  static std::string beside(const std::string& more) {
    return GetParam() == std::string("plain") ? "twin:iqn c51 iqn " + more : "twin:iqn_dueling c51 iqn:iqn_dueling d:dueling_q " + more;
  }
  Arguments everything(const std::string& run, int iterations, const Arguments& more = {}) const;
};

// Memory trained through sequences by distributional losses, a critic of its own, minibatches that may stop early, shaped
// rewards, sized positions, balanced losses, several-step values and schedules.
Arguments Everything::everything(const std::string& run, int iterations, const Arguments& more) const {
  Arguments a = small_run(run, iterations,
                          {"--encoder.kind",          "mamba2",
                           "--encoder.hidden",        "32",
                           "--encoder.head_dim",      "16",
                           "--risk_source",           "c51",
                           "--iqn.select",            "expected_sarsa",
                           "--c51.select",            "double",
                           "--reward_shaping.plugin", "rank_standardize",
                           "--position_sizing.plugin", "variance",
                           "--policy.epochs",         "2",
                           "--policy.minibatches",    "4",
                           "--policy.target_kl",      "0.02",
                           "--policy.value_target",   "n_step",
                           "--policy.mask",           "true",
                           "--policy.reward",         "shaped",
                           "--policy.lr_end",         "1e-4",
                           "--policy.lr_iterations",  "20",
                           "--policy.entropy_iterations", "10",
                           "--replay.kind",           "sequence",
                           "--replay.burn_in",        "4",
                           "--replay.n_step",         "3",
                           "--replay.batch",          "96",
                           "--balance.q",             "0.5"});
  const Arguments mine = parts();
  a.insert(a.end(), mine.begin(), mine.end());
  a.insert(a.end(), more.begin(), more.end());
  return a;
}

void expect_same(const fs::path& a, const fs::path& b, const std::vector<std::string>& ignore = {}, const std::vector<std::string>& without = {}) {
  checkpoints::DiffOptions options;
  options.ignore = ignore;
  const auto result = checkpoints::diff(latest(a), latest(b), options);
  EXPECT_TRUE(result.same()) << checkpoints::to_text(result);
  EXPECT_GT(result.tensors, 80u);
  EXPECT_EQ(comparable_rows(a, without), comparable_rows(b, without));
}

TEST_P(Everything, ADiagnosticHeadChangesNoBit) {
  const Scratch s;
  const Outcome a = foxhunt(everything("a", 12, {"--trainer.threads", "2"}), s.folder());
  ASSERT_EQ(a.code, 0) << a.err;
  const Outcome b = foxhunt(everything("b", 12, {"--heads", beside("other:qr_dqn"), "--trainer.threads", "1"}), s.folder());
  ASSERT_EQ(b.code, 0) << b.err;
  expect_same(s / "a", s / "b", {"/heads/twin", "/heads/other", "/meta@config", "/meta@plugins", "/meta@kernels"}, {"twin", "other"});
}

TEST_P(Everything, SixAndSixAreTwelve) {
  const Scratch s;
  ASSERT_EQ(foxhunt(everything("whole", 12), s.folder()).code, 0);
  ASSERT_EQ(foxhunt(everything("parts", 6), s.folder()).code, 0);
  const Outcome o = foxhunt({"train", "--resume", "parts", "--trainer.iterations", "12"}, s.folder());
  ASSERT_EQ(o.code, 0) << o.err;
  expect_same(s / "whole", s / "parts");
}

TEST_P(Everything, AReplicaIsTheRunAlone) {
  const Scratch s;
  ASSERT_EQ(foxhunt(everything("all", 8, {"--trainer.replicas", "2", "--trainer.seed", "3"}), s.folder()).code, 0);
  for (const std::string seed : {"3", "4"}) {
    ASSERT_EQ(foxhunt(everything("one-" + seed, 8, {"--trainer.seed", seed}), s.folder()).code, 0);
    expect_same(s / "all" / ("seed-" + seed), s / ("one-" + seed));
  }
}

INSTANTIATE_TEST_SUITE_P(Heads, Everything, testing::Values("plain", "streams"), [](const auto& i) { return std::string(i.param); });

}  // namespace
}  // namespace foxhunt::test
