#include <fstream>

#include "support.hpp"

namespace foxhunt::test {
namespace {

/// N of "compiled N, cached M" in the line that begins with `start`; -1 if there is none.
int compiled(const std::string& text, const std::string& start) {
  const size_t at = text.find(start + ": compiled ");
  return at == std::string::npos ? -1 : std::stoi(text.substr(at + start.size() + 11));
}

const Arguments kSmall{"--env.rows", "8192", "--trainer.accounts", "32", "--encoder.hidden", "16", "--trainer.device", "cpu"};

Arguments with_small(Arguments a) {
  a.insert(a.end(), kSmall.begin(), kSmall.end());
  return a;
}

TEST(CliKernels, CompilingAheadLeavesNothingForTheRun) {
  const Scratch s;
  const Environment cache{{"FOXHUNT_CACHE_DIR", (s / "cache").string()}};
  const Outcome first = foxhunt(with_small({"compile"}), s.folder(), cache);
  ASSERT_EQ(first.code, 0) << shown(first);
  EXPECT_GT(compiled(first.out, "cpu"), 10) << first.out;
  EXPECT_TRUE(first.out.ends_with(", cached 0\n")) << first.out;
  EXPECT_EQ(compiled(foxhunt(with_small({"compile"}), s.folder(), cache).out, "cpu"), 0);
  const Outcome run = foxhunt(tiny_run("run"), s.folder(), cache);
  EXPECT_EQ(compiled(run.err, "kernels"), 0) << run.err;
  // Every plugin was compiled, not just those of the default configuration.
  const Outcome other = foxhunt(tiny_run("other", {"--reward_shaping.plugin", "rank_standardize", "--position_sizing.plugin", "variance"}), s.folder(), cache);
  EXPECT_EQ(compiled(other.err, "kernels"), 0) << other.err;
  EXPECT_EQ(compiled(foxhunt({"eval", "run", "--trainer.device", "cpu"}, s.folder(), cache).err, "kernels"), 0);
}

TEST(CliKernels, CacheIsShownAndCleared) {
  const Scratch s;
  const Environment cache{{"FOXHUNT_CACHE_DIR", (s / "cache").string()}};
  EXPECT_TRUE(contains(foxhunt({"cache"}, s.folder(), cache).out, "entries  0\n"));
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder(), cache).code, 0);
  write(s / "cache/mine.txt", "not an entry");
  const Outcome full = foxhunt({"cache"}, s.folder(), cache);
  EXPECT_TRUE(contains(full.out, (s / "cache").string()));
  const std::string count = full.out.substr(full.out.find("entries  ") + 9, full.out.find("\nbytes") - full.out.find("entries  ") - 9);
  EXPECT_GT(std::stoi(count), 10);
  EXPECT_TRUE(contains(foxhunt({"cache", "clear"}, s.folder(), cache).out, "removed " + count + " entries"));
  EXPECT_EQ(entries(s / "cache"), std::set<std::string>{"mine.txt"});
}

TEST(CliKernels, ArchitecturesAreCompiledWithoutAGpu) {
#if !FOXHUNT_HAVE_CUDA
  GTEST_SKIP() << "built without the CUDA module";
#endif
  const Scratch s;
  const Environment cache{{"FOXHUNT_CACHE_DIR", (s / "cache").string()}};
  const Arguments all = with_small({"compile", "--arch", "sm_80", "--arch", "sm_89", "--arch", "sm_90", "--arch", "sm_90"});
  const Outcome first = foxhunt(all, s.folder(), cache);
  ASSERT_EQ(first.code, 0) << shown(first);
  const Outcome second = foxhunt(all, s.folder(), cache);
  int units = -1;
  for (const char* target : {"sm_80", "sm_89", "sm_90"}) {
    const int n = compiled(first.out, target);
    EXPECT_GT(n, 10) << first.out;
    EXPECT_TRUE(units < 0 || n == units) << first.out;
    units = n;
    EXPECT_EQ(compiled(second.out, target), 0) << second.out;
  }
  EXPECT_EQ(std::count(first.out.begin(), first.out.end(), '\n'), 3) << "a target is compiled once, however often it is named";
  EXPECT_TRUE(refused(foxhunt(with_small({"compile", "--arch", "sm_13"}), s.folder(), cache), "'sm_13' is no GPU architecture"));
}

TEST(CliKernels, AFaultyKernelNamesPluginAndFile) {
  const Scratch s;
  const fs::path sources = fs::path(FOXHUNT_PROGRAM).parent_path().parent_path() / "share/foxhunt/kernels_src";
  fs::copy(sources, s / "kernels", fs::copy_options::recursive);
  std::ofstream(s / "kernels/optimizer/schedule.cu", std::ios::app) << "this is no C++;\n";
  const Outcome o = foxhunt(tiny_run("run"), s.folder(), {{"FOXHUNT_KERNELS_DIR", (s / "kernels").string()}});
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(contains(o.err, "optimizer/schedule.cu:"));
  EXPECT_EQ(o.err.find("foxhunt: foxhunt:"), std::string::npos) << o.err;
  EXPECT_FALSE(fs::exists(s / "run"));
}

}  // namespace
}  // namespace foxhunt::test
