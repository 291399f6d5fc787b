#include <filesystem>
#include <foxhunt/kernel.hpp>
#include <fstream>

#include "compute/cuda/kernels.hpp"
#include "compute/cuda/nvrtc.hpp"
#include "rig.hpp"

namespace foxhunt::compute::cuda::test {
namespace {

FOXHUNT_KERNEL(multiply_add, "area/multiply_add.cu", 256,
               FOXHUNT_PARAMS({"x", FH_F32, FH_IN}, {"y", FH_F32, FH_INOUT}, {"a", FH_F32, FH_SCALAR},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_CONSTANTS("STEP"), nullptr);

constexpr const char* good =
    "typedef float real;\n"
    "#include \"common/index.cuh\"\n"
    "extern \"C\" __global__ void multiply_add(const real* __restrict__ x, real* __restrict__ y, real a, int "
    "n) {\n"
    "  for (int i = first(); i < n; i += STEP) y[i] = a * x[i] + y[i];\n"
    "}\n";
constexpr const char* index_header = "inline int first() { return blockIdx.x * blockDim.x + threadIdx.x; }\n";

UnitSource source_of(const char* text) {
  KernelLibrary library{
      "plugin sample", {&multiply_add}, {{"area/multiply_add.cu", text}, {"common/index.cuh", index_header}}};
  return unit_source({&library, "area/multiply_add.cu", {constant("STEP", 64)}}, KernelMode::cuda);
}

TEST(CudaCompiler, MachineCodeForSeveralArchitectures) {
  for (const char* target : {"sm_80", "sm_89", "sm_90"}) {
    const Compiled compiled = compile(source_of(good), {target}, false);
    ASSERT_GT(compiled.code.size(), 4u) << target;
    EXPECT_EQ(compiled.code.substr(0, 4),
              "\x7f"
              "ELF")
        << target;
    EXPECT_NE(compiled.code.find("multiply_add"), std::string::npos) << target;
    EXPECT_EQ(compiled.log, "") << target;
  }
}

TEST(CudaCompiler, ParityProfileDoesNotContract) {
  const std::string fast = compile(source_of(good), {"compute_90"}, false).code;
  const std::string parity = compile(source_of(good), {"compute_90"}, true).code;
  EXPECT_NE(fast.find("fma.rn.f32"), std::string::npos);
  EXPECT_EQ(parity.find("fma.rn.f32"), std::string::npos);
  EXPECT_NE(parity.find("mul.rn.f32"), std::string::npos);
}

TEST(CudaCompiler, SameInputGivesTheSameBytes) {
  EXPECT_EQ(compile(source_of(good), {"sm_90"}, false).code, compile(source_of(good), {"sm_90"}, false).code);
}

TEST(CudaCompiler, ErrorNamesOwnerFileLineAndMessage) {
  std::string bad = good;
  bad.replace(bad.find("a * x[i]"), 8, "b * x[i]");
  const std::string text = error_of([&] { compile(source_of(bad.c_str()), {"sm_90"}, false); });
  EXPECT_NE(text.find("plugin sample"), std::string::npos) << text;
  EXPECT_NE(text.find("area/multiply_add.cu(4)"), std::string::npos) << text;
  EXPECT_NE(text.find("\"b\" is undefined"), std::string::npos) << text;
  EXPECT_NE(text.find("sm_90"), std::string::npos) << text;
}

TEST(CudaCompiler, SignatureThatDiffersFromTheDeclarationIsNamed) {
  std::string bad = good;
  bad.replace(bad.find("const real*"), 11, "real*");
  const std::string text = error_of([&] { compile(source_of(bad.c_str()), {"sm_90"}, false); });
  EXPECT_NE(text.find("kernel 'multiply_add' differs from its declaration"), std::string::npos) << text;
}

TEST(CudaCompiler, WarningsAreKept) {
  std::string warns = good;
  warns.replace(warns.find("  for"), 2, "  int unused_number = 3;\n  ");
  EXPECT_NE(compile(source_of(warns.c_str()), {"sm_90"}, false).log.find("unused_number"), std::string::npos);
}

TEST(CudaCompiler, ReadsNothingFromTheFolderItRunsIn) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  std::filesystem::create_directories("area");
  for (const char* place : {"planted.cuh", "area/planted.cuh"})
    std::ofstream(place) << "typedef float real;\n";
  UnitSource unit{"area/a.cu", "foxhunt", "#include \"planted.cuh\"\n", {}};
  const std::string text = error_of([&] { compile(unit, {"sm_90"}, false); });
  std::filesystem::current_path(before);
  EXPECT_NE(text.find("planted.cuh"), std::string::npos) << text;
}

TEST(CudaCompiler, VersionHasABuildNumberAndTheIdentityTheOptions) {
  const std::string& version = compiler_version();
  EXPECT_TRUE(version.starts_with("NVRTC ")) << version;
  EXPECT_EQ(std::count(version.begin(), version.end(), '.'), 2) << version;
  for (const std::string& option : compiler_options({"sm_90"}, false)) {
    if (option.starts_with("--gpu-architecture") || option.starts_with("--fmad")) continue;
    EXPECT_NE(compiler_identity().find(option), std::string::npos) << option;
  }
}

TEST(CudaCompiler, KernelsOfTheBackendAgreeWithTheirDeclarations) {
  const UnitSource unit = unit_source({&own_library(), fill_words32.file, {}}, KernelMode::cuda);
  EXPECT_EQ(compile(unit, {"sm_90"}, false).log, "");
}

}  // namespace
}  // namespace foxhunt::compute::cuda::test
