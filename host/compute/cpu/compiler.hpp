#pragma once
#include <string>
#include <vector>

#include "compute/cache.hpp"
#include "compute/kernel_source.hpp"

namespace foxhunt::compute::cpu {

/// The system's C++ compiler, which makes shared objects of kernels for this machine.
class Compiler {
 public:
  /// FOXHUNT_CXX, else the first of c++, g++, clang++ on PATH.
  /// @param mode  cpu; or race: unoptimised enough that reports name lines, under ThreadSanitizer
  /// @throws foxhunt::Error that says what to install if there is none.
  static Compiler find(KernelMode mode = KernelMode::cpu);

  /// Name and version with build number: "g++ (Debian 12.2.0-14) 12.2.0".
  const std::string& version() const { return version_; }
  /// What -march=native means here, in short: "x86-64 znver3".
  const std::string& target() const { return target_; }

  CacheKey key(const UnitSource& source) const;
  /// The shared object. Thread-safe.
  /// @throws foxhunt::Error with owner, file, line and the compiler's own message.
  Bytes compile(const UnitSource& source) const;

 private:
  std::string path_, version_, target_;
  std::string native_;  // -march=native in full, for the key
  std::vector<std::string> options_;
};

}  // namespace foxhunt::compute::cpu
