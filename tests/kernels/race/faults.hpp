#pragma once
#include <vector>

#include "kernel_case.hpp"

namespace foxhunt::kernels::test {

/// Cases of the kernels in tests/kernels/faults: each fault that race mode must report, "NAME", and beside it
/// the same kernel without the fault, "NAME_mended".
const std::vector<KernelCase>& fault_cases();

}  // namespace foxhunt::kernels::test
