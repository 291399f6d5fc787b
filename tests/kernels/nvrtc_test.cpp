#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "compute/compute.hpp"
#include "kernel_case.hpp"

namespace foxhunt::kernels::test {
namespace {

class Nvrtc : public testing::TestWithParam<const char*> {};

// The other profile differs in the contraction of products and sums alone: whether a kernel compiles is the
// same.
TEST_P(Nvrtc, EveryUnitCompiles) {
  if (!FOXHUNT_WITH_CUDA)
    GTEST_SKIP() << "the CUDA module was not built (no CUDA Toolkit found, or FOXHUNT_CUDA=OFF)";
  // Constants alone make no difference between architectures: the newest compiles every variant, the others one a file.
  std::vector<compute::KernelUnit> units = all_units();
  if (std::string_view(GetParam()) != "sm_90") {
    std::set<std::string> files;
    std::erase_if(units, [&](const compute::KernelUnit& u) { return !files.insert(u.file).second; });
  }
  const compute::AheadReport report = compute::compile_ahead(GetParam(), units, compute::Profile::parity);
  EXPECT_EQ(report.target, GetParam());
  EXPECT_EQ(report.compiled + report.cached, units.size());
}

INSTANTIATE_TEST_SUITE_P(Targets, Nvrtc, testing::Values("sm_80", "sm_89", "sm_90"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace foxhunt::kernels::test
