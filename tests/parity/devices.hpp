#pragma once
#include <gtest/gtest.h>

#include <memory>

#include "compute/compute.hpp"

namespace foxhunt::parity {

std::unique_ptr<compute::Compute> open(const std::string& device, compute::Profile profile, bool tf32 = false);

/// A test that needs a GPU: skipped where there is none, a failure with FOXHUNT_REQUIRE_CUDA in the environment.
class OnGpu : public virtual testing::Test {
 protected:
  void SetUp() override;
};

}  // namespace foxhunt::parity
