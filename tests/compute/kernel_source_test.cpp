#include "compute/kernel_source.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "support.hpp"

namespace foxhunt::compute::test {
namespace {

constexpr const char* hello =
    "#include \"common/platform.cuh\"\nextern \"C\" __global__ void test_axpy() {}\n";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct KernelSourceTest : ::testing::Test {
  KernelUnit unit(const OneFile& file, std::vector<fh_constant> constants = {}) {
    return {&file.library, "test/basic.cu", std::move(constants)};
  }
};

TEST_F(KernelSourceTest, HoldsModeConstantsAuthorsLineAndDeclaration) {
  const OneFile file("plugin p", test_axpy, hello);
  const std::vector<fh_constant> constants = {constant("ATOMS", 51), constant("LOW", -3),
                                              constant("BIG", 1LL << 40), constant("LEAST", INT64_MIN),
                                              real_constant("GAMMA", 0.1)};
  const UnitSource cpu = unit_source(unit(file, constants), KernelMode::cpu);
  for (const char* line :
       {"#define FH_CPU 1\n", "#define ATOMS 51\n", "#define LOW (-3)\n", "#define BIG 1099511627776LL\n",
        "#define LEAST (-9223372036854775807LL - 1)\n", "#define GAMMA (real(0.1))\n",
        "#line 1 \"test/basic.cu\"\n", "decltype(&test_axpy), void (*)(const real*, real*, real, int)>",
        "void fh_run_test_axpy("})
    EXPECT_TRUE(has(cpu.text, line)) << line << " is not in\n" << cpu.text;
  EXPECT_FALSE(has(cpu.text, "FH_REAL_IS_DOUBLE"));
  EXPECT_TRUE(has(unit_source(unit(file), KernelMode::cpu, true).text, "#define FH_REAL_IS_DOUBLE 1\n"));

  const UnitSource cuda = unit_source(unit(file), KernelMode::cuda);
  EXPECT_TRUE(has(cuda.text, "#define FH_CUDA 1\n"));
  EXPECT_TRUE(has(cuda.text, "static_assert"));
  EXPECT_FALSE(has(cuda.text, "fh_run_"));
  EXPECT_TRUE(has(unit_source(unit(file), KernelMode::race).text, "#define FH_RACE 1\n"));
}

TEST_F(KernelSourceTest, ConstantsThatCannotBeMacrosAreRefused) {
  const OneFile file("plugin p", test_axpy, hello);
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(has(error_of([&] { unit_source(unit(file, {real_constant("G", bad)}), KernelMode::cpu); }),
                    "not a finite number"));
  EXPECT_TRUE(
      has(error_of([&] { unit_source(unit(file, {constant("A B", 1)}), KernelMode::cpu); }), "'A B'"));
}

TEST_F(KernelSourceTest, IncludesAreClosedOverAndPluginsComeFirst) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "common");
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("common/platform.cuh", "#include \"common/a.cuh\"\n");
  write("common/a.cuh",
        "#  include \"common/b.cuh\" // twice\n/* #include \"no.cuh\" */ // #include \"no.cuh\"\n");
  write("common/b.cuh", "#pragma once\n#include \"common/a.cuh\"\n/*\n#include \"no.cuh\"\n*/\n");
  const Setting kernels("FOXHUNT_KERNELS_DIR", folder.path());

  OneFile file("plugin p", test_axpy, hello);
  const UnitSource source = unit_source(unit(file), KernelMode::cuda);
  ASSERT_EQ(source.includes.size(), 3u);
  EXPECT_EQ(source.includes[0].name, "common/platform.cuh");
  EXPECT_EQ(source.includes[1].name, "common/a.cuh");
  EXPECT_EQ(source.includes[2].name, "common/b.cuh");
  EXPECT_EQ(source.includes[2].text.substr(0, 12), "#pragma once");

  file.library.sources.push_back({"common/b.cuh", "// mine\n"});
  EXPECT_EQ(unit_source(unit(file), KernelMode::cuda).includes[2].text, "// mine\n");

  write("common/b.cuh", "\n\n#include \"common/gone.cuh\"\n");
  file.library.sources.pop_back();
  const std::string why = error_of([&] { unit_source(unit(file), KernelMode::cuda); });
  for (const std::string& part :
       {std::string("plugin p"), std::string("common/b.cuh:3"), std::string("'common/gone.cuh'"),
        folder.path(), std::string("test/basic.cu")})
    EXPECT_TRUE(has(why, part)) << part << " is not in: " << why;
}

TEST_F(KernelSourceTest, NamesDoNotLeaveTheFolder) {
  const TemporaryFolder folder;
  std::ofstream(folder / "secret") << "x";
  std::filesystem::create_directories(folder / "kernels");
  const Setting kernels("FOXHUNT_KERNELS_DIR", folder / "kernels");
  const OneFile up("plugin p", test_axpy, "#include \"../secret\"\n");
  EXPECT_TRUE(has(error_of([&] { unit_source(unit(up), KernelMode::cpu); }), "was not found"));
  const OneFile absolute("plugin p", test_axpy, "#include \"/etc/passwd\"\n");
  EXPECT_TRUE(has(error_of([&] { unit_source(unit(absolute), KernelMode::cpu); }), "was not found"));
  const KernelLibrary missing{"plugin p", {}, {}};
  EXPECT_TRUE(has(error_of([&] {
                    unit_source({&missing, "q_heads/none.cu", {}}, KernelMode::cpu);
                  }),
                  "kernel file 'q_heads/none.cu' was not found"));
  EXPECT_TRUE(has(error_of([&] {
                    unit_source({&missing, "../secret", {}}, KernelMode::cpu);
                  }),
                  "cannot be the name"));
}

}  // namespace
}  // namespace foxhunt::compute::test
