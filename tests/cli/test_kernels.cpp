#include <fstream>
#include <map>
#include <set>

#include "compute/cuda/kernels.hpp"
#include "kernels/manifest.hpp"
#include "plugins/registry.hpp"
#include "support.hpp"

namespace foxhunt::test {
namespace {

/// N of "compiled N, cached M" in the line that begins with `start`; -1 if there is none.
int compiled(const std::string& text, const std::string& start) {
  const size_t at = text.find(start + ": compiled ");
  return at == std::string::npos ? -1 : std::stoi(text.substr(at + start.size() + 11));
}

/// K of "(K kernels)" at the end of a line; -1 if there is none.
int kernels_in(const std::string& line) {
  const size_t at = line.find('(');
  return at == std::string::npos ? -1 : std::stoi(line.substr(at + 1));
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
  EXPECT_TRUE(contains(first.out, ", cached 0 (")) << first.out;
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

/// The entries of all kernels that the program, its CUDA backend and the plugins declare.
std::set<std::string> declared_for_gpus() {
  std::set<std::string> entries;
  const auto add = [&](const compute::KernelLibrary& library) {
    for (const fh_kernel* k : library.kernels) entries.insert(k->entry);
  };
  add(program_kernels());
  add(compute::cuda::own_library());
  plugins::Registry registry({{FOXHUNT_PLUGINS, true}});
  for (const plugins::Candidate& c : registry.candidates()) add(registry.open(c.description.kind, c.description.name).kernels());
  return entries;
}

/// Calls `compile` without a CONFIG for these architectures, twice, and looks into the machine code that it left.
void expect_all_compiled(const std::vector<std::string>& targets) {
#if !FOXHUNT_HAVE_CUDA
  GTEST_SKIP() << "built without the CUDA module";
#endif
  const Scratch s;
  Arguments call = with_small({"compile", "--arch", targets.back()});
  for (const std::string& target : targets) call.insert(call.end(), {"--arch", target});
  const std::set<std::string> kernels = declared_for_gpus();
  const Environment cache{{"FOXHUNT_CACHE_DIR", (s / "cache").string()}};
  const Outcome first = foxhunt(call, s.folder(), cache), second = foxhunt(call, s.folder(), cache);
  ASSERT_EQ(first.code, 0) << shown(first);
  const std::string all = " (" + std::to_string(kernels.size()) + " kernels)\n";
  const int units = compiled(first.out, targets.front());
  for (const std::string& target : targets) {
    EXPECT_TRUE(contains(first.out, target + ": compiled " + std::to_string(units) + ", cached 0" + all)) << first.out;
    EXPECT_TRUE(contains(second.out, target + ": compiled 0, cached " + std::to_string(units) + all)) << second.out;
  }
  EXPECT_EQ(std::count(first.out.begin(), first.out.end(), '\n'), std::ssize(targets)) << "each once, however often named";

  std::map<std::string, size_t> found;  // a kernel's code is a section of its name
  for (const auto& entry : fs::recursive_directory_iterator(s / "cache")) {
    if (!entry.is_regular_file()) continue;
    const std::string code = slurp(entry.path());
    for (const std::string& k : kernels) found[k] += contains(code, std::string(1, '\0') + ".text." + k + '\0');
  }
  for (const std::string& k : kernels) EXPECT_GE(found[k], targets.size()) << k << " was not compiled";
}

TEST(CliKernels, EveryKernelIsCompiledWithoutAGpu) { expect_all_compiled({"sm_90"}); }
TEST(CliKernels, SlowEveryKernelIsCompiledForAllArchitectures) { expect_all_compiled({"sm_80", "sm_89", "sm_90"}); }

// With a CONFIG only what it needs is compiled.
TEST(CliKernels, AConfigLimitsWhatIsCompiled) {
  const Scratch s;
  write(s / "small.ini", "[policy]\nepochs = 1\n");
  const Outcome all = foxhunt(with_small({"compile"}), s.folder()), one = foxhunt(with_small({"compile", "small.ini"}), s.folder());
  ASSERT_EQ(one.code, 0) << shown(one);
  EXPECT_LT(kernels_in(one.out), kernels_in(all.out));
}

TEST(CliKernels, UnknownArchitecturesAreRefused) {
#if !FOXHUNT_HAVE_CUDA
  GTEST_SKIP() << "built without the CUDA module";
#endif
  EXPECT_TRUE(refused(foxhunt(with_small({"compile", "--arch", "sm_13"}), Scratch().folder()), "'sm_13' is no GPU architecture"));
}

TEST(CliKernels, AFaultyKernelNamesPluginAndFile) {
  const Scratch s;
  const fs::path sources = fs::path(FOXHUNT_PROGRAM).parent_path().parent_path() / "share/foxhunt/kernels_src";
  fs::copy(sources, s / "kernels", fs::copy_options::recursive);
  std::ofstream(s / "kernels/optimizer/schedule.cu", std::ios::app) << "this is no C++;\n";
  const Outcome o = foxhunt(tiny_run("run"), s.folder(), {{"FOXHUNT_KERNELS_DIR", (s / "kernels").string()}});
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(contains(o.err, "optimizer/schedule.cu:"));
  EXPECT_TRUE(contains(o.err, "(schedule_value")) << o.err;
  EXPECT_EQ(o.err.find("foxhunt: foxhunt:"), std::string::npos) << o.err;
  EXPECT_FALSE(fs::exists(s / "run"));
#if FOXHUNT_HAVE_CUDA
  const Outcome ahead = foxhunt(with_small({"compile", "--arch", "sm_90"}), s.folder(), {{"FOXHUNT_KERNELS_DIR", (s / "kernels").string()}});
  EXPECT_EQ(ahead.code, 1);
  EXPECT_TRUE(contains(ahead.err, "kernels schedule_value, advance_step: kernel file 'optimizer/schedule.cu' does not compile for sm_90"));
  EXPECT_TRUE(contains(ahead.err, "error: expected a declaration"));
#endif
}

}  // namespace
}  // namespace foxhunt::test
