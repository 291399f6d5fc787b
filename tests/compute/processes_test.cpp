#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "compute/cache.hpp"
#include "compute/cpu/process.hpp"
#include "support.hpp"

namespace foxhunt::compute::test {
namespace {

namespace fs = std::filesystem;

// Processes that share one cache folder.
struct ProcessesTest : ::testing::Test {
  static std::string probe() { return cpu::run_process({FOXHUNT_PROBE}).output; }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder.path())) found.push_back(entry.path());
    return found;
  }
  TemporaryFolder folder;
  Setting cache{"FOXHUNT_CACHE_DIR", folder.path()};
};

TEST_F(ProcessesTest, TheSecondStartCompilesNothing) {
  EXPECT_EQ(probe(), "compiled 3 cached 0 result 9\n");
  EXPECT_EQ(probe(), "compiled 0 cached 3 result 9\n");
  EXPECT_EQ(entries().size(), 3u);
}

TEST_F(ProcessesTest, TwoStartTogetherOnAnEmptyCache) {
  std::string first, second;
  std::thread other([&] { second = probe(); });
  first = probe();
  other.join();
  for (const std::string& said : {first, second})
    EXPECT_NE(said.find("result 9\n"), std::string::npos) << said;
  EXPECT_EQ(probe(), "compiled 0 cached 3 result 9\n");
  EXPECT_EQ(entries().size(), 3u) << "nothing unfinished is left";
}

TEST_F(ProcessesTest, DamagedAndTruncatedEntriesAreCompiledAgain) {
  probe();
  const std::vector<fs::path> files = entries();
  ASSERT_EQ(files.size(), 3u);
  fs::resize_file(files[0], fs::file_size(files[0]) / 2);
  std::fstream(files[1], std::ios::in | std::ios::out | std::ios::binary)
      .seekp(3000)
      .put('\x5a')
      .put('\xa5')
      .put('\x33');
  EXPECT_EQ(probe(), "compiled 2 cached 1 result 9\n");
  EXPECT_EQ(probe(), "compiled 0 cached 3 result 9\n");
}

TEST_F(ProcessesTest, WithoutAUsableFolderItWarnsOnceAndRuns) {
  const std::string file = folder / "file";
  std::ofstream(file) << "not a folder";
  const Setting impossible("FOXHUNT_CACHE_DIR", file + "/cache");
  const std::string said = probe();
  EXPECT_NE(said.find("compiled 3 cached 0 result 9\n"), std::string::npos) << said;
  const std::string warning = "foxhunt: warning: ";
  ASSERT_NE(said.find(warning), std::string::npos) << said;
  EXPECT_EQ(said.find(warning), said.rfind(warning)) << said;
}

TEST_F(ProcessesTest, CompilingAheadLeavesNothingToCompile) {
  std::vector<KernelUnit> units = {
      {&library(), "test/basic.cu", {}},
      {&library(), "test/rows.cu", {constant("WIDTH", 8), real_constant("FACTOR", 2)}},
      {&library(), "test/rows.cu", {constant("WIDTH", 4), real_constant("FACTOR", 2)}}};
  const AheadReport report = compile_ahead("cpu", units, Profile::fast);
  EXPECT_EQ(report.compiled, 3u);
  EXPECT_EQ(compile_ahead("cpu", units, Profile::fast).cached, 3u);
  EXPECT_EQ(probe(), "compiled 0 cached 3 result 9\n");
  EXPECT_NE(
      error_of([&] { compile_ahead("gfx90a", units, Profile::fast); }).find("target 'gfx90a' is unknown"),
      std::string::npos);
}

TEST_F(ProcessesTest, CubinsAreCompiledAheadWithoutADevice) {
  const fs::path module =
      fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib/foxhunt/foxhunt_cuda.so";
  if (!fs::exists(module)) GTEST_SKIP() << "built without the CUDA backend";
  const std::vector<KernelUnit> units = {{&library(), "test/basic.cu", {}}};
  // One more than asked for: the backend's own.
  EXPECT_EQ(compile_ahead("sm_90", units, Profile::fast).compiled, 2u);
  EXPECT_EQ(compile_ahead("sm_90", units, Profile::fast).cached, 2u);
  EXPECT_EQ(compile_ahead("sm_90", units, Profile::parity).compiled, 2u);
  EXPECT_EQ(compile_ahead("sm_80", units, Profile::fast).compiled, 2u);
  const OneFile broken("plugin p", test_axpy, "#include \"common/platform.cuh\"\n\nnonsense;\n");
  const std::string why = error_of([&] {
    compile_ahead("sm_90", {{&broken.library, "test/basic.cu", {}}}, Profile::fast);
  });
  EXPECT_NE(why.find("plugin p: "), std::string::npos) << why;
  EXPECT_NE(why.find("kernels test_axpy: "), std::string::npos) << why;
  EXPECT_NE(why.find("test/basic.cu(3)"), std::string::npos) << why;
  EXPECT_NE(error_of([&] { compile_ahead("sm_30", units, Profile::fast); }).find("sm_30"), std::string::npos);
}

TEST(Devices, UnknownAndMissingOnesAreRefused) {
  const auto error = [](const std::string& device, Profile profile = Profile::fast) {
    Options options;
    options.device = device;
    options.profile = profile;
    return error_of([&] { open(options); });
  };
  for (const char* name : {"gpu", "", "cuda:", "cuda:x", "cuda:-1", "cpu:0"})
    EXPECT_NE(error(name).find("is unknown"), std::string::npos) << name;
  EXPECT_NE(error("cuda", Profile::real64).find("cpu only"), std::string::npos);
  const Setting module("FOXHUNT_CUDA_MODULE", "/no/such/module.so");
  EXPECT_NE(error("cuda:0").find("'/no/such/module.so' cannot be loaded"), std::string::npos)
      << error("cuda:0");
}

TEST(Devices, TheCpuDescribesItself) {
  Options options;
  options.device = "cpu";
  const DeviceInfo device = open(options)->device();
  EXPECT_EQ(device.kind, "cpu");
  EXPECT_NE(device.name, "");
  EXPECT_EQ(device.blas.rfind("OpenBLAS ", 0), 0u) << device.blas;
  EXPECT_EQ(device.target.find("native"), std::string::npos) << device.target;
  EXPECT_NE(device.compiler.find_first_of("0123456789"), std::string::npos) << device.compiler;
}

}  // namespace
}  // namespace foxhunt::compute::test
