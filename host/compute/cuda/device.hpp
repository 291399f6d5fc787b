#pragma once
#include <string>

#include "architecture.hpp"
#include "check.hpp"
#include "compute/compute.hpp"

namespace foxhunt::compute::cuda {

/// A GPU that has been found fit, and the one stream that this backend uses.
struct Device {
  int ordinal = 0;
  int multiprocessors = 0;
  size_t shared_limit = 0;  ///< largest dynamic shared memory of a block, opted in
  Architecture architecture;
  DeviceInfo info;
  Stream stream;

  /// Makes it the calling thread's device: a process may hold several.
  void use() const { FOXHUNT_CUDA(cudaSetDevice(ordinal), info.name); }
  void synchronize() const { FOXHUNT_CUDA(cudaStreamSynchronize(stream.get()), info.name); }
};

/// Opens the device that the name asks for: "cuda:N", or "cuda" and "auto" for the first that can be used.
/// @throws foxhunt::Error saying whether the driver, the device or its generation is what is missing.
Device open_device(const std::string& name);

}  // namespace foxhunt::compute::cuda
