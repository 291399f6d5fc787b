#pragma once
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "compute/cache.hpp"
#include "compute/compute.hpp"
#include "device.hpp"

namespace foxhunt::compute::cuda {

/// A loaded kernel. Blocks are made smaller than declared where the device asks for it: kernels are right for
/// any block size.
struct Kernel {
  cudaKernel_t handle = nullptr;
  const fh_kernel* declaration = nullptr;
  std::string owner;
  uint32_t max_block = 0;       ///< what its registers allow
  size_t max_shared_bytes = 0;  ///< dynamic
};

struct LaunchShape {
  uint32_t grid = 0, block = 0;
  size_t shared_bytes = 0;
};

/// @throws foxhunt::Error if the shared memory is more than the device has, or there are too many blocks.
LaunchShape shape_of(const LaunchOp& op, const Kernel& kernel, const Device& device);

/// Compiled and loaded units. The same unit used by several programs is loaded once.
class Modules {
 public:
  Modules(const Device& device, Profile profile);

  /// Takes from the cache or compiles, several units at once, and loads.
  /// @return one number per unit for `kernel`.
  std::vector<size_t> load(const std::vector<KernelUnit>& units);
  const Kernel& kernel(size_t unit, const fh_kernel& declaration, const std::string& owner);
  CompileReport report() const { return report_; }

 private:
  struct Module {
    Library library;
    std::map<std::string, Kernel> kernels;
  };
  const Device& device_;
  bool parity_;
  Cache cache_;
  std::map<CacheKey, size_t> by_key_;
  std::vector<Module> modules_;
  CompileReport report_;
};

}  // namespace foxhunt::compute::cuda
