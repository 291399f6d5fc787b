// compare, sweep, and forks.
#include <fstream>

#include "support.hpp"

namespace foxhunt::test {
namespace {

std::string file(const Scratch& s, const std::string& name, const std::string& content) {
  std::ofstream(s / name) << content;
  return (s / name).string();
}

Outcome compare(const Scratch& s, const std::string& a, const std::string& b) { return foxhunt({"compare", a, b}, s.folder()); }

TEST(CliCompare, SaysWhereTwoRunsPart) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("a"), s.folder()).code, 0);
  ASSERT_EQ(foxhunt(tiny_run("b"), s.folder()).code, 0);
  ASSERT_EQ(foxhunt(tiny_run("c", {"--policy.distill", "0.5"}), s.folder()).code, 0);
  const Outcome same = compare(s, "a", "b"), other = compare(s, "a", "c");
  EXPECT_EQ(same.code, 0) << shown(same);
  EXPECT_TRUE(contains(same.out, "no metric differs")) << shown(same);
  EXPECT_EQ(other.code, 2) << shown(other);
  EXPECT_TRUE(contains(other.out, "first difference at iteration ")) << shown(other);
  EXPECT_TRUE(contains(other.out, "grad_norm_policy")) << shown(other);
  const Outcome one = foxhunt({"compare", "a", "c", "--metric", "entropy"}, s.folder());
  EXPECT_EQ(std::count(one.out.begin(), one.out.end(), '\n'), 3) << shown(one);
  EXPECT_TRUE(refused(compare(s, "a", "nowhere"), "nowhere is no folder"));
}

// With nothing changed a fork is the run that it comes from; with one thing changed only that makes a difference.
TEST(CliFork, GoesOnAsTheRunWould) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("a", {"--trainer.iterations", "8", "--replay.start", "32"}), s.folder()).code, 0);
  ASSERT_EQ(foxhunt(tiny_run("half", {"--trainer.iterations", "4", "--replay.start", "32"}), s.folder()).code, 0);
  const auto fork = [&](const std::string& name, Arguments more) {
    more.insert(more.end(), {"--trainer.iterations", "8", "--replay.start", "32", "--fork-from", "half"});
    return foxhunt(tiny_run(name, more), s.folder());
  };
  const Outcome o = fork("same", {});
  ASSERT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.err, "goes on at iteration 4")) << shown(o);
  EXPECT_EQ(foxhunt({"diff", "a", "same"}, s.folder()).code, 0);
  EXPECT_EQ(compare(s, "a", "same").code, 0);
  ASSERT_EQ(fork("watched", {"--heads", "c51 twin:c51"}).code, 0) << "a new head begins anew";
  EXPECT_EQ(foxhunt({"diff", "a", "watched", "--ignore", "/heads/twin", "--ignore", "/meta@config", "--ignore", "/meta@plugins"}, s.folder()).code, 0);
  ASSERT_EQ(fork("changed", {"--policy.distill", "0.5"}).code, 0);
  const Outcome parts = compare(s, "a", "changed");
  EXPECT_EQ(parts.code, 2);
  EXPECT_TRUE(contains(parts.out, "first difference at iteration 5:")) << shown(parts);
  EXPECT_TRUE(refused(fork("moved", {"--trainer.seed", "9"}), "trainer.seed = "));
  EXPECT_TRUE(refused(fork("seeds", {"--trainer.replicas", "2"}), "there is no half/seed-1/"));
  EXPECT_FALSE(fs::exists(s / "seeds")) << "what is refused leaves nothing behind";
  EXPECT_TRUE(refused(fork("both", {"--init-from", "a"}), "cannot go together"));
  EXPECT_EQ(foxhunt({"train", "--resume", "changed", "--trainer.iterations", "10"}, s.folder()).code, 0) << "a fork is a run like any other";
}

TEST(CliSweep, RunsAListAndGoesOnWhereItWas) {
  const Scratch s;
  Arguments tiny = tiny_run("x");
  std::string base = "heads = c51\n";
  file(s, "one.ini", base);
  file(s, "two.ini", "base = one.ini\nheads = c51 twin:c51\n");
  file(s, "bad.ini", "base = one.ini\nheads = nobody\n");
  const std::string list = file(s, "list.ini",
                                "[sweep]\nbaseline = one\nseeds = 2\n\n[one]\nconfig = one.ini\n\n[two]\nconfig = two.ini\nrecord = looks on\n"
                                "metric = entropy\nsign = 0\n\n[bad]\nconfig = bad.ini\n");
  Arguments call{"sweep", list, "--folder", "runs"};
  // The settings of a tiny run, without its command and folder.
  for (size_t i = 1; i < tiny.size(); ++i) {
    if (tiny[i] == "--run") {
      ++i;
      continue;
    }
    call.push_back(tiny[i]);
  }
  const Outcome o = foxhunt(call, s.folder());
  EXPECT_EQ(o.code, 1) << "one of them cannot run";
  EXPECT_TRUE(contains(o.err, "did not run: bad")) << shown(o);
  EXPECT_TRUE(contains(o.out, "| two | looks on | entropy | 0 | 0.0000 ± 0.0000 | as expected: none, to the bit |")) << shown(o);
  EXPECT_TRUE(contains(o.out, "Not run: bad.")) << shown(o);
  EXPECT_TRUE(fs::exists(s / "runs" / "two" / "seed-2" / "verdict.json"));
  file(s, "bad.ini", "base = one.ini\nheads = c51 other:c51\n");
  const Outcome again = foxhunt(call, s.folder());
  EXPECT_EQ(again.code, 0) << shown(again);
  EXPECT_TRUE(contains(again.err, "runs/one: done already")) << shown(again);
  EXPECT_FALSE(contains(again.out, "Not run")) << shown(again);
  EXPECT_EQ(slurp(s / "runs" / "table.md"), foxhunt({"sweep", list, "--folder", "runs", "--table"}, s.folder()).out);
  EXPECT_TRUE(refused(foxhunt({"sweep", list, "--only", "three"}, s.folder()), "has no such rung"));
  EXPECT_TRUE(refused(foxhunt({"sweep", list, "--trainer.replicas", "3"}, s.folder()), "[sweep] seeds"));
}

}  // namespace
}  // namespace foxhunt::test
