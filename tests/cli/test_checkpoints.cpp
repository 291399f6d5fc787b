#include "support.hpp"

namespace foxhunt::test {
namespace {

TEST(CliCheckpoints, InspectShowsTheTree) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder()).code, 0);
  const Outcome whole = foxhunt({"inspect", "run"}, s.folder());
  ASSERT_EQ(whole.code, 0) << shown(whole);
  EXPECT_TRUE(contains(whole.out, "foxhunt-checkpoint 1"));
  for (const char* part : {"encoder/", "policy/", "heads/", "replay/", "rng/", "nan 0"}) EXPECT_TRUE(contains(whole.out, part));
  EXPECT_EQ(foxhunt({"inspect", latest(s / "run").string()}, s.folder()).code, 0);

  const Outcome part = foxhunt({"inspect", "run", "--below", "/heads/c51"}, s.folder());
  EXPECT_TRUE(contains(part.out, "[16, 189]"));
  EXPECT_EQ(part.out.find("policy/"), std::string::npos);
  EXPECT_TRUE(refused(foxhunt({"inspect", "run", "--below", "/nothere"}, s.folder()), "/nothere"));
  EXPECT_TRUE(contains(foxhunt({"inspect", "run", "--full"}, s.folder()).out, "position_sizing"));
}

TEST(CliCheckpoints, DiffTellsByItsExitCode) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("a"), s.folder()).code, 0);
  ASSERT_EQ(foxhunt(tiny_run("b"), s.folder()).code, 0);
  ASSERT_EQ(foxhunt(tiny_run("c", {"--trainer.seed", "2"}), s.folder()).code, 0);
  const Outcome same = foxhunt({"diff", "a", "b"}, s.folder());
  EXPECT_EQ(same.code, 0) << shown(same);
  EXPECT_TRUE(contains(same.out, "same: "));
  const Outcome other = foxhunt({"diff", "a", "c"}, s.folder());
  EXPECT_EQ(other.code, 2) << shown(other);
  EXPECT_TRUE(contains(other.out, "/policy/online/w  "));
  EXPECT_EQ(foxhunt({"diff", "a", "nothere"}, s.folder()).code, 1);
  // Nothing is left to differ; a mistyped --ignore is said.
  Arguments ignoring{"diff", "a", "c", "--ignore", "/nothere"};
  for (const char* group : {"/meta", "/encoder", "/policy", "/value", "/heads", "/optimizer", "/controllers", "/env", "/replay", "/rng"}) {
    ignoring.push_back("--ignore");
    ignoring.push_back(group);
  }
  const Outcome ignored = foxhunt(ignoring, s.folder());
  EXPECT_EQ(ignored.code, 0) << shown(ignored);
  EXPECT_TRUE(contains(ignored.err, "--ignore /nothere matches nothing"));
}

TEST(CliCheckpoints, DamageIsSaid) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder()).code, 0);
  std::string bytes = slurp(latest(s / "run"));
  write(s / "cut.h5", bytes.substr(0, bytes.size() - 1000));
  EXPECT_EQ(foxhunt({"inspect", "cut.h5"}, s.folder()).code, 1);
  EXPECT_TRUE(refused(foxhunt({"eval", "cut.h5"}, s.folder()), "cut.h5"));
}

}  // namespace
}  // namespace foxhunt::test
