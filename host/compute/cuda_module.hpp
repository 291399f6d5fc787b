#pragma once
#include <memory>
#include <string>

#include "cache.hpp"
#include "compute.hpp"
#include "loader.hpp"

namespace foxhunt::compute {

/// The CUDA backend in a shared object of its own, opened only when it is asked for: FOXHUNT_CUDA_MODULE,
/// else
/// ../lib/foxhunt/foxhunt_cuda.so from the program's folder.
class CudaModule {
 public:
  /// @throws foxhunt::Error if there is none or it cannot be loaded.
  static CudaModule load();
  /// @throws foxhunt::Error with the module's explanation.
  std::unique_ptr<Compute> open(const Options& options) const;
  /// Version of NVRTC and its fixed options, for cubin_key().
  std::string compiler_version() const;
  /// Needs no device. Thread-safe.
  Bytes compile(const UnitSource& source, const std::string& arch, bool parity) const;

 private:
  explicit CudaModule(LoadedLibrary library) : library_(library) {}
  LoadedLibrary library_;
};

}  // namespace foxhunt::compute
