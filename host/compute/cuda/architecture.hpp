#pragma once
#include <string>
#include <vector>

namespace foxhunt::compute::cuda {

/// What kernels are compiled for.
struct Architecture {
  /// "sm_90": machine code. "compute_121": PTX, which the driver finishes, for a device of a later generation
  /// than any this compiler knows.
  std::string target;
  bool is_ptx() const { return target.starts_with("compute_"); }
};

/// Compute capabilities that NVRTC compiles for, ascending, as 10 * major + minor.
std::vector<int> known_capabilities();

/// The newest known architecture that is not above the device's.
/// @param known ascending.
/// @throws foxhunt::Error with both names if the device is below the oldest.
Architecture architecture_for(int major, int minor, const std::string& device_name,
                              const std::vector<int>& known);

/// "sm_90", "compute_90" or with the suffix of a feature set, "sm_90a".
/// @throws foxhunt::Error naming what is known if this compiler does not know it.
Architecture architecture_named(const std::string& name, const std::vector<int>& known);

}  // namespace foxhunt::compute::cuda
