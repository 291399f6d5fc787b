#include "support.hpp"

namespace foxhunt::test {
namespace {

TEST(CliDoctor, AWorkingMachineIsWell) {
  const Scratch s;
  const Outcome o = foxhunt({"doctor"}, s.folder());
  EXPECT_EQ(o.code, 0) << shown(o);
  for (const char* what : {"program", "kernels", "threads", "cpu", "compiler", "blas", "plugins", "cache", "disk", "hdf5"})
    EXPECT_TRUE(contains(o.out, "ok       " + std::string(what)));
  EXPECT_TRUE(contains(o.out, "foxhunt train can run here"));
  EXPECT_EQ(entries(s.folder()), std::set<std::string>());
  const Outcome named = foxhunt({"doctor"}, s.folder(), {{"FOXHUNT_PLUGIN_PATH", FOXHUNT_PLUGINS}});
  const size_t once = named.out.find("ok       plugins");
  EXPECT_NE(once, std::string::npos) << shown(named);
  EXPECT_EQ(named.out.find("ok       plugins", once + 1), std::string::npos) << shown(named);
}

TEST(CliDoctor, WhatMakesTrainingImpossibleIsAProblem) {
  const Scratch s;
  fs::create_directory(s / "empty");
  const std::string nothere = (s / "nothere").string();
  const struct {
    Environment environment;
    const char* finding;
  } all[] = {{{{"FOXHUNT_KERNELS_DIR", nothere}}, "problem  kernels   no kernel sources"},
             {{{"FOXHUNT_PLUGIN_PATH", nothere}}, "problem  plugins   "},
             {{{"FOXHUNT_CACHE_MAX_MB", "much"}}, "problem  cache     FOXHUNT_CACHE_MAX_MB"}};
  for (const auto& a : all) {
    const Outcome o = foxhunt({"doctor"}, s.folder(), a.environment);
    EXPECT_EQ(o.code, 1) << shown(o);
    EXPECT_TRUE(contains(o.out, a.finding));
    EXPECT_TRUE(contains(o.out, "foxhunt train cannot run here"));
    EXPECT_EQ(foxhunt(tiny_run("run"), s.folder(), a.environment).code, 1) << "doctor says so, but train runs";
  }
}

TEST(CliDoctor, WithoutACompilerTheCpuIsNoDevice) {
  const Scratch s;
  const Outcome o = foxhunt({"doctor"}, s.folder(), {{"FOXHUNT_CXX", "nothere"}});
  EXPECT_TRUE(contains(o.out, "cpu       FOXHUNT_CXX names 'nothere'"));
}

TEST(CliDoctor, WhatTrainingGetsAlongWithIsAWarning) {
  const Scratch s;
  fs::create_directory(s / "mine");
  write(s / "mine/broken.so", "no shared object");
  write(s / "file", "in the way");
  const Outcome o = foxhunt({"doctor", "--plugin-dir", "mine"}, s.folder(), {{"FOXHUNT_CACHE_DIR", (s / "file/cache").string()}});
  EXPECT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.out, "warning  plugins   mine/broken.so is refused"));
  EXPECT_TRUE(contains(o.out, "warning  cache     none"));
}

}  // namespace
}  // namespace foxhunt::test
