#pragma once
#include <string>
#include <vector>

#include "architecture.hpp"
#include "compute/compute.hpp"
#include "compute/kernel_source.hpp"

namespace foxhunt::compute::cuda {

/// "NVRTC 13.0.88"
const std::string& compiler_version();
/// The version and the options that are the same in every call: what a key of the cache needs of the
/// compiler.
const std::string& compiler_identity();

/// In the order in which they are passed. `parity`: no contraction of a*b+c.
std::vector<std::string> compiler_options(const Architecture& architecture, bool parity);

struct Compiled {
  std::string code;  ///< cubin, or PTX with its final 0
  std::string log;   ///< warnings; may be empty
};

/// Reads nothing but the unit: includes come from it too. May be called from several threads at once.
/// @throws foxhunt::Error that names owner and file and holds the compiler's log with the author's line
/// numbers.
Compiled compile(const UnitSource& unit, const Architecture& architecture, bool parity);

}  // namespace foxhunt::compute::cuda
