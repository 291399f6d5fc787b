#include <gtest/gtest.h>

#include <fstream>

#include "compute/cache.hpp"
#include "compute/cpu/process.hpp"
#include "support.hpp"

namespace foxhunt::compute::test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string head = "#include \"common/platform.cuh\"\n";
const std::string good = head +
                         "extern \"C\" __global__ void test_axpy(const real* __restrict__ x, real* "
                         "__restrict__ y, real a, int n) {\n"
                         "  FH_FOR_ELEMENTS(i, n) { y[i] = a * x[i] + y[i]; }\n}\n";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

struct CompilerTest : ::testing::Test {
  // What preparing a program of this one kernel file says.
  std::string error(const std::string& text, const std::string& include = {}) {
    OneFile file("plugin broken", test_axpy, text);
    if (!include.empty()) file.library.sources.push_back({"common/mine.cuh", include.c_str()});
    Rig rig;
    const TensorId x = rig.add("x", shape(4)), y = rig.add("y", shape(4));
    Recording recording = rig.record("", "step", file.library);
    recording.recorder().launch(test_axpy, Grid::elements(4),
                                {in(recording.read(x)), inout(recording.write(y)), f32(2), i32(4)});
    return error_of([&] {
      rig.prepare();
      rig.put(x, {1, 2, 3, 4});
      rig.executable->submit();
      EXPECT_EQ(rig.get(y), (std::vector<float>{2, 4, 6, 8}));
    });
  }
  TemporaryFolder folder;
  Setting cache{"FOXHUNT_CACHE_DIR", folder.path()};
};

TEST_F(CompilerTest, AGoodFileRuns) { EXPECT_EQ(error(good), ""); }

TEST_F(CompilerTest, AnErrorNamesOwnerFileLineAndTheCompilersWords) {
  const std::string why = error(replaced(good, "y[i];", "nonsense;"));
  EXPECT_TRUE(why.starts_with("plugin broken: test/basic.cu:3:")) << why;
  EXPECT_TRUE(has(why, "'nonsense' was not declared in this scope") ||
              has(why, "undeclared identifier 'nonsense'"))
      << why;
  EXPECT_EQ(cache_report().entries, 0u) << "a failure is not kept";
}

TEST_F(CompilerTest, AnErrorInAnIncludeNamesThatFile) {
  const std::string why =
      error("#include \"common/mine.cuh\"\n" + good, "#pragma once\n\nint f() { return oops; }\n");
  EXPECT_TRUE(has(why, "plugin broken: ")) << why;
  EXPECT_TRUE(has(why, "common/mine.cuh:3:")) << why;
}

TEST_F(CompilerTest, AKernelThatDiffersFromItsDeclarationIsNamed) {
  for (const std::string& text :
       {replaced(good, "real a", "double a"), replaced(good, ", int n", ", unsigned n"),
        replaced(good, "const real*", "real*")}) {
    const std::string why = error(text);
    EXPECT_TRUE(
        has(why,
            "kernel 'test_axpy' differs from its declaration: void test_axpy(const real*, real*, real, int)"))
        << why;
  }
  EXPECT_TRUE(has(error(replaced(good, "test_axpy", "other")), "'test_axpy'"));
}

TEST_F(CompilerTest, WhatIsDeclaredForReadingCannotBeWritten) {
  EXPECT_TRUE(has(error(replaced(good, "y[i] = a", "x[i] = a")), "plugin broken: test/basic.cu:3:"));
}

TEST_F(CompilerTest, WithoutACompilerItSaysWhatToInstall) {
  {
    const Setting path("PATH", folder.path()), none("FOXHUNT_CXX", "");
    const std::string why = error(good);
    EXPECT_TRUE(has(why, "apt install g++")) << why;
  }
  const Setting wrong("FOXHUNT_CXX", "/no/such/compiler");
  EXPECT_TRUE(has(error(good), "FOXHUNT_CXX names '/no/such/compiler'"));
}

TEST_F(CompilerTest, ACompilerThatFailsSilentlyIsReported) {
  const std::string fake = folder / "fake";
  std::ofstream(fake) << "#!/bin/sh\n[ \"$1\" = --version ] && echo 'fake 1.0'\nexit 0\n";
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const Setting chosen("FOXHUNT_CXX", fake);
  EXPECT_TRUE(has(error(good), "left no shared object"));
}

TEST_F(CompilerTest, ClangWorksAsWell) {
  if (cpu::find_program("clang++").empty()) GTEST_SKIP() << "clang++ is not installed";
  const Setting chosen("FOXHUNT_CXX", "clang++");
  EXPECT_EQ(error(good), "");
  const std::string why = error(replaced(good, "y[i];", "nonsense;"));
  EXPECT_TRUE(why.starts_with("plugin broken: test/basic.cu:3:")) << why;
}

TEST_F(CompilerTest, AFolderWithSpacesAndAnotherLocaleDoNotMatter) {
  const std::string spaced = folder / "a folder";
  std::filesystem::create_directory(spaced);
  const Setting temporary("TMPDIR", spaced), locale("LC_ALL", "de_DE.UTF-8");
  EXPECT_EQ(error(good), "");
  EXPECT_TRUE(std::filesystem::is_empty(spaced)) << "nothing is left behind";
}

}  // namespace
}  // namespace foxhunt::compute::test
