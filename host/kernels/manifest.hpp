#pragma once
#include "../compute/program.hpp"

namespace foxhunt {

/// The manifest: every kernel of the program itself. Ahead-of-time compilation, race mode, CPU/GPU parity and
/// timing enumerate it; a test fails for a kernel without a test case.
const compute::KernelLibrary& program_kernels();

}  // namespace foxhunt
