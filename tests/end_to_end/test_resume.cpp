// A run that stopped and went on is the run that never stopped.
#include <gtest/gtest.h>
#include <signal.h>

#include <foxhunt/checkpoints/diff.hpp>
#include <thread>

#include "run.hpp"

namespace foxhunt::test {
namespace {

void expect_same(const fs::path& a, const fs::path& b, const fs::path& folder) {
  const Outcome ours = foxhunt({"diff", latest(a).string(), latest(b).string()}, folder);
  EXPECT_EQ(ours.code, 0) << ours.out << ours.err;
  const Outcome theirs = program({"h5diff", latest(a).string(), latest(b).string()}, folder);
  if (theirs.code == 127) GTEST_SKIP() << "h5diff is not installed";
  EXPECT_EQ(theirs.code, 0) << theirs.out << theirs.err;
  EXPECT_EQ(comparable_rows(a), comparable_rows(b));
}

// rank_standardize and variance carry state of their own.
const Arguments kStateful{"--heads",  "c51 twin:c51", "--reward_shaping.plugin", "rank_standardize", "--position_sizing.plugin",
                          "variance", "--policy.entropy_iterations", "30", "--policy.lr_end", "1e-4", "--policy.lr_iterations", "40"};

TEST(Resume, TwentyAndTwentyAreForty) {
  const Scratch s;
  ASSERT_EQ(foxhunt(small_run("whole", 40, kStateful), s.folder()).code, 0);
  ASSERT_EQ(foxhunt(small_run("parts", 20, kStateful), s.folder()).code, 0);
  const Outcome o = foxhunt({"train", "--resume", "parts", "--trainer.iterations", "40"}, s.folder());
  ASSERT_EQ(o.code, 0) << o.err;
  expect_same(s / "whole", s / "parts", s.folder());
}

TEST(Resume, AsManyCheckpointsAsOneLikesAndOtherThreads) {
  const Scratch s;
  ASSERT_EQ(foxhunt(small_run("whole", 24, {"--trainer.threads", "1"}), s.folder()).code, 0);
  ASSERT_EQ(foxhunt(small_run("parts", 7, {"--trainer.checkpoint_every", "3", "--trainer.threads", "2"}), s.folder()).code, 0);
  ASSERT_EQ(foxhunt({"train", "--resume", "parts", "--trainer.iterations", "8"}, s.folder()).code, 0);
  ASSERT_EQ(foxhunt({"train", "--resume", "parts", "--trainer.iterations", "24", "--trainer.threads", "1"}, s.folder()).code, 0);
  expect_same(s / "whole", s / "parts", s.folder());
}

TEST(Resume, RefusesAnotherComputation) {
  const Scratch s;
  ASSERT_EQ(foxhunt(small_run("run", 4), s.folder()).code, 0);
  const Outcome o = foxhunt({"train", "--resume", "run", "--trainer.iterations", "8", "--policy.lr", "0.5"}, s.folder());
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("lr"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("--init-from"), std::string::npos) << o.err;
  EXPECT_EQ(comparable_rows(s / "run").size(), 4u) << "a refused resume changes nothing";
}

TEST(Resume, InterruptWritesACheckpointAndExits4) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Scratch s;
    Child child(small_run("run", 100'000), s.folder());
    for (int i = 0; i < 3000 && comparable_rows(s / "run").size() < 10; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    child.signal(signal);
    const Outcome o = child.wait();
    EXPECT_EQ(o.code, 4) << o.err;
    const auto stopped = static_cast<int>(comparable_rows(s / "run").size());
    ASSERT_GE(stopped, 10);
    EXPECT_NE(slurp(s / "run/verdict.json").find("interrupted"), std::string::npos);

    const int total = stopped + 5;
    ASSERT_EQ(foxhunt({"train", "--resume", "run", "--trainer.iterations", std::to_string(total)}, s.folder()).code, 0);
    ASSERT_EQ(foxhunt(small_run("whole", total), s.folder()).code, 0);
    expect_same(s / "whole", s / "run", s.folder());
  }
}

}  // namespace
}  // namespace foxhunt::test
