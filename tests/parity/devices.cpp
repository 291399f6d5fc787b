#include "devices.hpp"

#include <cstdlib>
#include <foxhunt/error.hpp>

namespace foxhunt::parity {

std::unique_ptr<compute::Compute> open(const std::string& device, compute::Profile profile, bool tf32) {
  setenv("FOXHUNT_CUDA_MODULE", FOXHUNT_CUDA_MODULE, 0);
  compute::Options options;
  options.device = device;
  options.profile = profile;
  options.tf32 = tf32;
  return compute::open(options);
}

void OnGpu::SetUp() {
  try {
    open("cuda", compute::Profile::parity);
  } catch (const Error& e) {
    if (std::getenv("FOXHUNT_REQUIRE_CUDA")) FAIL() << "FOXHUNT_REQUIRE_CUDA is set, but " << e.what();
    GTEST_SKIP() << e.what();
  }
}

}  // namespace foxhunt::parity
