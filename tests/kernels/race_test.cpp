#include <gtest/gtest.h>
#include <sys/personality.h>

#include <cstdlib>
#include <set>

#include "compute/cpu/process.hpp"
#include "kernel_case.hpp"

// Every kernel in race mode. ThreadSanitizer takes over a whole process, so race/runner.cpp is one of its
// own; one for a folder of kernels, since making its fibers takes longer than running most kernels.

namespace foxhunt::kernels::test {
namespace {

using compute::cpu::ProcessResult;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ProcessResult race(std::vector<std::string> arguments) {
  ::setenv("FOXHUNT_CXX", FOXHUNT_RACE_CXX,
           1);  // kernels need the sanitizer of the compiler that made the runner
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  ::unsetenv("TSAN_OPTIONS");
  arguments.insert(arguments.begin(), FOXHUNT_RACE_RUNNER);
  ProcessResult result = compute::cpu::run_process(arguments);
  // Some kernels randomise addresses more widely than the sanitizer's map of memory allows.
  if (has(result.output, "unexpected memory mapping")) {
    const int now = ::personality(0xffffffff);
    ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
    result = compute::cpu::run_process(arguments);
    ::personality(static_cast<unsigned long>(now));
  }
  return result;
}

class InRaceMode : public testing::TestWithParam<std::string> {};

TEST_P(InRaceMode, AgreesAtEveryBlockSizeAndIsNotReported) {
  const ProcessResult result = race({GetParam()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(has(result.output, "block sizes: passed")) << result.output;
}

std::set<std::string> folders() {
  std::set<std::string> found;
  for (const KernelCase& c : all_cases()) found.insert(folder(*c.kernel));
  return found;
}

INSTANTIATE_TEST_SUITE_P(Kernels, InRaceMode, testing::ValuesIn(folders()),
                         [](const auto& test) { return test.param.substr(0, test.param.size() - 1); });

// Race mode itself: what is planted is found, by name, and the same kernel without it is not accused.
struct Fault {
  std::string kernel;
  std::vector<std::string> block_sizes;
  std::vector<std::string> report;  ///< what the output must hold
  std::string line;                 ///< and where the fault is, as far as the compiler's runtime can say
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.kernel; }

class PlantedFault : public testing::TestWithParam<Fault> {};

TEST_P(PlantedFault, IsReported) {
  const Fault& fault = GetParam();
  for (const char* n : {" (n 7)", " (n 33)"})
    for (const std::string& size : fault.block_sizes) {
      const ProcessResult result = race({fault.kernel + n, size});
      EXPECT_NE(result.exit_code, 0) << n << ", block size " << size << "\n" << result.output;
      std::vector<std::string> report = fault.report;
      if (FOXHUNT_RACE_LINES) report.push_back(fault.line);
      for (const std::string& part : report)
        EXPECT_TRUE(has(result.output, part))
            << "no '" << part << "' for" << n << " at block size " << size << ":\n"
            << result.output;
    }
}

TEST_P(PlantedFault, IsNotSeenWhereThereIsNone) {
  const ProcessResult result = race({GetParam().kernel + "_mended"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

const std::string data_race = "WARNING: ThreadSanitizer: data race";

INSTANTIATE_TEST_SUITE_P(
    Kernels, PlantedFault,
    testing::Values(
        Fault{"missing_barrier", {"7", "32", "33"}, {data_race}, "faults/missing_barrier.cu:7"},
        Fault{"missing_second_barrier", {"7", "32", "33"}, {data_race}, "faults/missing_second_barrier.cu:7"},
        Fault{"divergent_barrier",
              {"2", "7", "33"},
              {"divergent barrier: divergent_barrier (n ", "Let every thread of a block reach every barrier"},
              "faults/divergent_barrier.cu:8"},
        Fault{"reads_other_block", {"1", "2", "7"}, {data_race}, "faults/reads_other_block.cu:8"},
        Fault{"sum_of_blocks", {"1", "2", "33"}, {data_race}, "faults/sum_of_blocks.cu:8"},
        Fault{"shared_overrun",
              {"33"},
              {"block size 33: a block wrote beyond its 128 bytes"},
              "shared_overrun"}),
    [](const auto& test) { return test.param.kernel; });

// With one thread a block nothing of this shows: why race mode exists.
TEST(RaceMode, OneThreadHidesMissingBarriers) {
  for (const char* kernel :
       {"missing_barrier", "missing_second_barrier", "divergent_barrier", "shared_overrun"}) {
    const ProcessResult result = race({kernel, "1"});
    EXPECT_EQ(result.exit_code, 0) << result.output;
  }
}

TEST(RaceMode, UnknownKernelsAndSizesAreRefused) {
  EXPECT_TRUE(has(race({"no_such_kernel"}).output, "no folder or kernel 'no_such_kernel'"));
  const ProcessResult result = race({"missing_barrier", "0"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_TRUE(has(result.output, "a block size from 1 to 1024 is expected, not '0'")) << result.output;
}

}  // namespace
}  // namespace foxhunt::kernels::test
