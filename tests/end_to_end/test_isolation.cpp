// A diagnostic head changes no bit of anything else, and neither does the number of threads.
#include <gtest/gtest.h>

#include <foxhunt/checkpoints/diff.hpp>

#include "run.hpp"

namespace foxhunt::test {
namespace {

constexpr int kIterations = 40;

struct Trace {
  fs::path run;
  std::string fills;
  std::vector<std::string> rows;
};

class Isolation : public testing::TestWithParam<const char*> {
 protected:
  Trace train(const std::string& name, const std::string& heads, int threads) {
    const fs::path fills = scratch_ / (name + ".csv");
    Environment environment;
    if (*GetParam()) environment["OPENBLAS_CORETYPE"] = GetParam();
    const Outcome o = foxhunt(small_run(name, kIterations, {"--heads", heads, "--fills", fills.string(), "--trainer.threads",
                                                            std::to_string(threads)}),
                              scratch_.folder(), environment);
    EXPECT_EQ(o.code, 0) << o.err;
    return {scratch_ / name, slurp(fills), comparable_rows(scratch_ / name, {"twin"})};
  }

  static void expect_equal(const Trace& a, const Trace& b) {
    checkpoints::DiffOptions options;
    options.ignore = {"/heads/twin", "/meta@config", "/meta@plugins"};
    const auto result = checkpoints::diff(latest(a.run), latest(b.run), options);
    EXPECT_TRUE(result.same()) << checkpoints::to_text(result);
    EXPECT_GT(result.tensors, 40u);
    EXPECT_GT(a.fills.size(), 10'000u);
    EXPECT_TRUE(a.fills == b.fills) << "orders filled differ";
    EXPECT_EQ(a.rows.size(), static_cast<size_t>(kIterations));
    EXPECT_EQ(a.rows, b.rows);
  }

  Scratch scratch_;
};

TEST_P(Isolation, NoBitDependsOnADiagnosticHeadOrOnTheNumberOfThreads) {
  const Trace alone = train("alone-1", "c51", 1);
  for (const int threads : {1, 2, 3}) {
    SCOPED_TRACE(threads);
    const std::string n = std::to_string(threads);
    expect_equal(alone, train("twin-" + n, "c51 twin:c51", threads));
    if (threads > 1) expect_equal(alone, train("alone-" + n, "c51", threads));
  }
}

INSTANTIATE_TEST_SUITE_P(Blas, Isolation, testing::Values("", "Haswell"),
                         [](const auto& i) { return *i.param ? std::string(i.param) : std::string("AsDetected"); });

TEST(IsolationOfShapers, AnotherDiagnosticInFrontChangesNothingEither) {
  // The diagnostic head comes first in `heads`, so that an order of declaration would show.
  const Scratch s;
  ASSERT_EQ(foxhunt(small_run("a", 20, {"--heads", "c51", "--ensemble", "c51", "--risk_source", "c51",
                                        "--position_sizing.plugin", "variance", "--reward_shaping.plugin", "rank_standardize"}), s.folder()).code, 0);
  const Outcome o = foxhunt(small_run("b", 20, {"--heads", "other:c51 c51", "--ensemble", "c51", "--risk_source", "c51", "--other.atoms", "11",
                                                "--position_sizing.plugin", "variance", "--reward_shaping.plugin", "rank_standardize"}), s.folder());
  ASSERT_EQ(o.code, 0) << o.err;
  checkpoints::DiffOptions options;
  options.ignore = {"/heads/other", "/meta@config", "/meta@plugins"};
  const auto result = checkpoints::diff(latest(s / "a"), latest(s / "b"), options);
  EXPECT_TRUE(result.same()) << checkpoints::to_text(result);
  EXPECT_EQ(comparable_rows(s / "a"), comparable_rows(s / "b", {"other"}));
}

TEST(IsolationOfShapers, TheTestCanFail) {
  const Scratch s;
  ASSERT_EQ(foxhunt(small_run("a", 20), s.folder()).code, 0);
  ASSERT_EQ(foxhunt(small_run("b", 20, {"--heads", "c51 twin:c51", "--ensemble", "c51:0.9 twin:0.1"}), s.folder()).code, 0);
  checkpoints::DiffOptions options;
  options.ignore = {"/heads/twin", "/meta@config", "/meta@plugins"};
  EXPECT_FALSE(checkpoints::diff(latest(s / "a"), latest(s / "b"), options).same());
}

}  // namespace
}  // namespace foxhunt::test
