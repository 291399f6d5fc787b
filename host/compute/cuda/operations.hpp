#pragma once
#include <functional>

#include "compute/program.hpp"
#include "gemm.hpp"
#include "memory.hpp"
#include "modules.hpp"

namespace foxhunt::compute::cuda {

/// An op bound to this device's memory, kernels and algorithms.
struct BoundOp {
  /// Puts the work on a stream (that is being captured). Empty: there is nothing to do.
  std::function<void(cudaStream_t stream, void* workspace)> record;
  size_t workspace_bytes = 0;
};

class Operations {
 public:
  Operations(const Device& device, const Memory& memory, Modules& modules, Gemms& gemms)
      : device_(device), memory_(memory), modules_(modules), gemms_(gemms) {}

  /// @param units  the program's units and their numbers in Modules
  BoundOp bind(const Op& op, const std::vector<KernelUnit>& units, const std::vector<size_t>& loaded);

 private:
  BoundOp bind(const LaunchOp& op, const std::string& owner, size_t module);
  BoundOp bind(const GemmOp& op);
  BoundOp bind(const FillOp& op);
  BoundOp bind(const CopyOp& op);
  BoundOp own_kernel(const fh_kernel& kernel, int64_t elements, std::vector<uint64_t> arguments);

  const Device& device_;
  const Memory& memory_;
  Modules& modules_;
  Gemms& gemms_;
};

}  // namespace foxhunt::compute::cuda
