#include <gtest/gtest.h>

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
  const auto units = all_units();
  const compute::AheadReport report = compute::compile_ahead(GetParam(), units, compute::Profile::parity);
  EXPECT_EQ(report.target, GetParam());
  EXPECT_EQ(report.compiled + report.cached, units.size());
}

INSTANTIATE_TEST_SUITE_P(Targets, Nvrtc, testing::Values("sm_80", "sm_89", "sm_90"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace foxhunt::kernels::test
