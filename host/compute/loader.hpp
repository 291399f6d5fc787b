#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace foxhunt::compute {

/// A shared object. It is never unloaded: kernels have thread-local variables, and a CUDA module must not be
/// torn down before the driver.
class LoadedLibrary {
 public:
  /// @throws foxhunt::Error with the loader's message.
  static LoadedLibrary from_file(const std::string& path);
  /// Loads exactly these bytes: they are not read again from a file that somebody could have changed.
  static LoadedLibrary from_bytes(std::span<const std::byte> bytes, const std::string& name);

  /// Address of an exported function.
  /// @throws foxhunt::Error if there is none of this name.
  void* function(const std::string& name) const;

 private:
  struct Impl;
  explicit LoadedLibrary(Impl* impl) : impl_(impl) {}
  Impl* impl_;
};

}  // namespace foxhunt::compute
