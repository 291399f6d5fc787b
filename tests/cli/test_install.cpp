// The installed program needs neither the build folder nor the sources.
#include <cstdlib>
#include <sstream>

#include "support.hpp"

namespace foxhunt::test {
namespace {

fs::path build_folder() { return fs::path(FOXHUNT_PROGRAM).parent_path().parent_path(); }

/// Lines of `text` that name the build folder or the sources.
std::string leaks(const std::string& text) {
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);)
    if (line.find(build_folder().string() + "/") != std::string::npos || line.find(FOXHUNT_SOURCE_DIR "/") != std::string::npos)
      found += line + "\n";
  return found;
}

TEST(CliInstall, TheInstalledTreeStandsAlone) {
  const Scratch s;
  setenv("FOXHUNT_CACHE_DIR", (s / "cache").c_str(), 1);  // that of the other tests lies in the build folder
  const Outcome installed = program({"cmake", "--install", build_folder().string(), "--prefix", (s / "prefix").string()}, s.folder());
  ASSERT_EQ(installed.code, 0) << shown(installed);
  const std::string foxhunt = (s / "prefix/bin/foxhunt").string();
  const auto run = [&](Arguments a) {
    a.insert(a.begin(), foxhunt);
    return program(a, s.folder());
  };

  const Outcome doctor = run({"doctor"});
  EXPECT_EQ(doctor.code, 0) << shown(doctor);
  EXPECT_TRUE(contains(doctor.out, (s / "prefix/share/foxhunt/kernels_src").string()));
  EXPECT_EQ(leaks(doctor.out), "");
  EXPECT_EQ(leaks(run({"plugins"}).out), "");
  EXPECT_EQ(run({"plugins", "--names", "q_head"}).out, program({FOXHUNT_PROGRAM, "plugins", "--names", "q_head"}, s.folder()).out);
  const fs::path sources = s / "prefix/share/foxhunt/kernels_src";
  EXPECT_FALSE(fs::is_symlink(sources));
  EXPECT_TRUE(fs::is_regular_file(sources / "common/platform.cuh"));

  const Outcome trained = run(tiny_run("run"));
  EXPECT_EQ(trained.code, 0) << shown(trained);
  if (program({"strace", "-V"}, s.folder()).code != 0) GTEST_SKIP() << "strace is not installed: the files opened were not looked at";
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // the leak checker does not work under strace
  Arguments traced{"strace", "-f", "-e", "trace=%file", "-o", "trace", foxhunt};
  for (const std::string& a : tiny_run("traced")) traced.push_back(a);
  ASSERT_EQ(program(traced, s.folder()).code, 0);
  EXPECT_EQ(leaks(slurp(s / "trace")), "");
}

}  // namespace
}  // namespace foxhunt::test
