// foxhunt optimum, and the score that a run on the planted market is given.
#include <gtest/gtest.h>

#include <foxhunt/checkpoints/tensor_file.hpp>

#include "run.hpp"

namespace foxhunt::test {
namespace {

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto a = text.find(from);
  if (a == std::string::npos) return "";
  const auto b = text.find(to, a + from.size());
  return text.substr(a + from.size(), b - a - from.size());
}

TEST(Optimum, OfAPolicyIsTheScoreOfItsRun) {
  const Scratch s;
  const Outcome run = foxhunt(small_run("run", 30), s.folder());
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string share = between(run.out, "of optimum    ", ":");
  ASSERT_FALSE(share.empty()) << run.out;
  EXPECT_NE(slurp(s / "run/summary.json").find("share_of_optimum"), std::string::npos);

  const Outcome o = foxhunt({"optimum", "--policy", "run", "-o", "tables.h5"}, s.folder());
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(between(o.out, "  greedy ", "\n").find(share), std::string::npos) << share << "\n" << o.out;
  EXPECT_NE(o.out.find("V_scalar"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("c51             Q*"), std::string::npos) << o.out;

  const checkpoints::TensorFile tables(s / "tables.h5");
  const std::vector<double> pi = tables.read("/pi"), v = tables.read("/v_pi"), q = tables.read("/q_pi"), a = tables.read("/a_pi");
  ASSERT_EQ(pi.size(), 31u * 7 * 9);
  const std::vector<double> best = tables.read("/v_star");
  for (size_t c = 0; c < v.size(); ++c) {
    double mean = 0, sum = 0;
    for (size_t k = 0; k < 9; ++k) {
      mean += pi[c * 9 + k] * q[c * 9 + k];
      sum += pi[c * 9 + k] * a[c * 9 + k];
    }
    ASSERT_NEAR(mean, v[c], 1e-9);
    ASSERT_NEAR(sum, 0, 1e-9);
    ASSERT_LE(v[c], best[c] + 1e-9);
  }
}

TEST(Optimum, IsThatOfAFileOfTheMarketToo) {
  const Scratch s;
  ASSERT_EQ(foxhunt({"generate", "planted", "-o", "m.h5", "--rows", "20000", "--env.depth", "2"}, s.folder()).code, 0);
  const Outcome o = foxhunt({"optimum", "--env.source", "file", "--env.path", (s / "m.h5").string()}, s.folder());
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("0.7085"), std::string::npos) << o.out;
}

TEST(Optimum, WhatHasNoKnownAnswerIsRefusedWithTheReason) {
  const Scratch s;
  const auto refused = [&](const Arguments& more, const char* why) {
    Arguments a{"optimum"};
    a.insert(a.end(), more.begin(), more.end());
    const Outcome o = foxhunt(a, s.folder());
    EXPECT_EQ(o.code, 1) << o.out;
    EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
  };
  refused({"--env.source", "synthetic"}, "not planted");
  refused({"--env.source", "cartpole"}, "only the planted market");
  refused({"--q.gamma", "1"}, "q.gamma");
  refused({"--env.full", "5"}, "near levels");
  refused({"--env.small", "0.5", "--env.lot", "0.5"}, "whole lots");
  refused({"--policy", "nothing"}, "nothing");
}

TEST(Optimum, AScoreThatIsNotKnownSaysWhy) {
  const Scratch s;
  const Outcome o = foxhunt(small_run("run", 10, {"--env.latency", "1500000"}), s.folder());
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("of optimum    not known: "), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("env.latency"), std::string::npos) << o.out;
}

}  // namespace
}  // namespace foxhunt::test
