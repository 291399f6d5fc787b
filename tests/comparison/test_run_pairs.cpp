#include "comparison/run_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "comparison/run_result.hpp"
#include "folder.hpp"

namespace foxhunt::comparison::test {
namespace {

/// Ten iterations of a metric that is `x` until iteration `changes` and x + by from it on.
std::string diag(double x, int changes, double by, double wall = 1) {
  std::string text;
  for (int step = 1; step <= 10; ++step)
    text += "{\"step\": " + std::to_string(step) + ", \"wall_s\": " + std::to_string(wall * step) + ", \"loss\": " +
            std::to_string(x + (step >= changes ? by : 0)) + ", \"same\": 7, \"nan\": \"nan\"}\n";
  return text;
}

const MetricPair& metric(const RunPairs& pairs, const std::string& name) {
  return *std::find_if(pairs.metrics.begin(), pairs.metrics.end(), [&](const MetricPair& m) { return m.name == name; });
}

TEST(RunPairs, NameTheFirstIterationThatDiffersAndTheEffect) {
  const Folder f;
  f.write("a/diag.jsonl", diag(1, 99, 0));
  f.write("b/diag.jsonl", diag(1, 4, 0.5, 2));
  const RunPairs pairs = compare(f / "a", f / "b");
  EXPECT_EQ(pairs.first_step, 4);
  EXPECT_EQ(pairs.first, std::vector<std::string>{"loss"});
  EXPECT_EQ(pairs.steps, 10u);
  EXPECT_DOUBLE_EQ(metric(pairs, "loss").effect.mean, 0.5);
  EXPECT_EQ(metric(pairs, "same").first_step, 0);
  EXPECT_EQ(metric(pairs, "nan").first_step, 0) << "a NaN is the same NaN";
  EXPECT_EQ(headline(pairs), "first difference at iteration 4: loss");
  EXPECT_EQ(table_of(pairs).size(), 2u) << "a head, and what differs";
  EXPECT_EQ(table_of(pairs, {"same"})[1][0], "same");
}

TEST(RunPairs, ClocksAreNoDifference) {
  const Folder f;
  f.write("a/diag.jsonl", diag(1, 99, 0, 1));
  f.write("b/diag.jsonl", diag(1, 99, 0, 3));
  const RunPairs pairs = compare(f / "a", f / "b");
  EXPECT_EQ(pairs.first_step, 0);
  EXPECT_EQ(headline(pairs), "no metric differs in the 10 iterations that both have");
  EXPECT_EQ(table_of(pairs).size(), 1u);
}

TEST(RunPairs, SeedsArePairedByName) {
  const Folder f;
  for (const int seed : {1, 2, 10}) {
    const std::string name = "seed-" + std::to_string(seed) + "/diag.jsonl";
    f.write("a/" + name, diag(seed, 99, 0));
    f.write("b/" + name, diag(seed, seed, 0.25 + 0.01 * (seed == 2)));
  }
  f.write("b/seed-11/diag.jsonl", diag(1000, 99, 0));
  const RunPairs pairs = compare(f / "a", f / "b");
  EXPECT_EQ(pairs.seeds, (std::vector<std::string>{"seed-1", "seed-2", "seed-10"}));
  EXPECT_EQ(pairs.first_step, 1) << "the earliest of all pairs";
  EXPECT_NEAR(metric(pairs, "loss").effect.mean, 0.25 + 0.01 / 3, 1e-6);
  EXPECT_TRUE(metric(pairs, "loss").effect.above_zero());
}

TEST(RunPairs, WhatIsNoRunIsRefused) {
  const Folder f;
  f.write("a/diag.jsonl", diag(1, 99, 0));
  f.write("c/seed-1/diag.jsonl", diag(1, 99, 0));
  f.write("d/seed-2/diag.jsonl", diag(1, 99, 0));
  f.write("c/seed-3/diag.jsonl", diag(1, 99, 0));
  f.write("empty/x", "");
  f.write("damaged/diag.jsonl", "{\"step\": 1, \n\x01\x02");
  EXPECT_NE(error_of([&] { compare(f / "a", f / "none"); }).find("no folder"), std::string::npos);
  EXPECT_NE(error_of([&] { compare(f / "a", f / "empty"); }).find("holds no diag.jsonl"), std::string::npos);
  EXPECT_NE(error_of([&] { compare(f / "a", f / "damaged"); }).find("no iteration in common"), std::string::npos);
  EXPECT_NE(error_of([&] { compare(f / "c", f / "d"); }).find("no seed in common"), std::string::npos);
}

TEST(RunResult, IsTheMeanOfTheLastTenthAndTheTestPart) {
  const Folder f;
  f.write("a/diag.jsonl", diag(1, 10, 2));
  f.write("a/summary.json", R"({"verdict": "passed", "evaluations": {"test": {"pnl_ticks_per_step": 0.5, "planted": {"share_of_optimum": 0.75}}}})");
  const RunResult r = result_of(f / "a");
  EXPECT_EQ(r.get("loss"), 3);
  EXPECT_EQ(r.get("share_of_optimum"), 0.75);
  EXPECT_EQ(r.get("test_pnl_ticks"), 0.5);
  EXPECT_EQ(r.verdict, "passed");
  EXPECT_EQ(r.iterations, 10u);
  EXPECT_TRUE(std::isnan(r.get("nothing")));
  f.write("b/diag.jsonl", "");
  EXPECT_EQ(result_of(f / "b").verdict, "unfinished");
}

}  // namespace
}  // namespace foxhunt::comparison::test
