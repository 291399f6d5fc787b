#pragma once
#include <memory>

#include "compute/compute.hpp"

namespace foxhunt::compute::cpu {

/// The processor as a device. submit() runs the program before it returns.
/// @throws foxhunt::Error if there is no compiler for kernels.
std::unique_ptr<Compute> open_cpu(const Options& options);

}  // namespace foxhunt::compute::cpu
