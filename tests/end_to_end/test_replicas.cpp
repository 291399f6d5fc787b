// Seeds side by side have the bits that each would have alone.
#include <gtest/gtest.h>

#include <sstream>

#include "run.hpp"

namespace foxhunt::test {
namespace {

TEST(Replicas, EachIsTheRunThatItWouldBeAlone) {
  const Scratch s;
  const Outcome o = foxhunt(small_run("all", 8, {"--trainer.replicas", "3", "--trainer.seed", "5", "--trainer.checkpoint_every", "3"}), s.folder());
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("3 of 3 passed"), std::string::npos) << o.out;
  const Outcome more = foxhunt({"train", "--resume", "all", "--trainer.iterations", "14"}, s.folder());
  ASSERT_EQ(more.code, 0) << more.err;
  for (const std::string seed : {"5", "6", "7"}) {
    ASSERT_EQ(foxhunt(small_run("one-" + seed, 14, {"--trainer.seed", seed}), s.folder()).code, 0);
    const fs::path mine = s / "all" / ("seed-" + seed), alone = s / ("one-" + seed);
    const Outcome d = foxhunt({"diff", mine.string(), alone.string()}, s.folder());
    EXPECT_EQ(d.code, 0) << d.out;
    EXPECT_EQ(comparable_rows(mine), comparable_rows(alone));
  }
  EXPECT_NE(foxhunt({"diff", (s / "all/seed-5").string(), (s / "all/seed-6").string()}, s.folder()).code, 0);
}

TEST(Replicas, OneThatIsStoppedDoesNotStopTheRest) {
  const Scratch s;
  ASSERT_EQ(foxhunt(small_run("one", 30, {"--trainer.seed", "1"}), s.folder()).code, 0);
  // A limit between the two seeds' entropies at iteration 10 stops one of them.
  ASSERT_EQ(foxhunt(small_run("two", 30, {"--trainer.seed", "2"}), s.folder()).code, 0);
  const auto at_ten = [&](const char* run) {
    std::istringstream in(slurp(s / run / "diag.jsonl"));
    std::string row;
    for (int i = 0; i < 10; ++i) std::getline(in, row);
    return number(row, "entropy");
  };
  const double limit = (at_ten("one") + at_ten("two")) / 2;
  const Outcome o = foxhunt(small_run("both", 30, {"--trainer.replicas", "2", "--gate.low.metric", "entropy", "--gate.low.op", "<", "--gate.low.value",
                                                   std::to_string(limit), "--gate.low.from", "10", "--gate.low.to", "10", "--gate.low.action", "abort"}),
                            s.folder());
  EXPECT_EQ(o.code, 3) << o.err;
  const size_t a = comparable_rows(s / "both/seed-1").size(), b = comparable_rows(s / "both/seed-2").size();
  EXPECT_EQ(std::min(a, b), 14u);
  EXPECT_EQ(std::max(a, b), 30u);
  EXPECT_NE(o.out.find("1 of 2 passed"), std::string::npos) << o.out;
}

}  // namespace
}  // namespace foxhunt::test
