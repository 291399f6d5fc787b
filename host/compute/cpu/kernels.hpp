#pragma once
#include <map>
#include <memory>
#include <vector>

#include "compiler.hpp"
#include "compute/compute.hpp"
#include "compute/loader.hpp"

namespace foxhunt::compute::cpu {

/// What the tail of a translation unit exports for each kernel; see unit_source().
using Trampoline = void (*)(void** args, unsigned long long first_block, unsigned long long last_block,
                            unsigned long long grid_blocks, void* shared, unsigned long long shared_bytes);

/// The compiled kernels of one backend: from the cache, else compiled, several units at once.
class Kernels {
 public:
  explicit Kernels(bool real64)
      : real64_(real64), compiler_(Compiler::find()), cache_(Cache::from_environment()) {}

  /// Makes all units ready and returns their libraries in the same order. A unit is counted once in the
  /// report, however often it is asked for.
  /// @throws foxhunt::Error for the first unit (in order) that does not compile.
  std::vector<std::shared_ptr<LoadedLibrary>> add(const std::vector<KernelUnit>& units);
  /// Fills the cache without loading anything.
  void compile_only(const std::vector<KernelUnit>& units);

  const Compiler& compiler() const { return compiler_; }
  const CompileReport& report() const { return report_; }

 private:
  struct Job;
  /// A key for each unit; afterwards `jobs` holds what this backend had not seen yet.
  std::vector<CacheKey> compile(const std::vector<KernelUnit>& units, std::vector<Job>& jobs, bool to_load);

  bool real64_;
  Compiler compiler_;
  Cache cache_;
  CompileReport report_;
  std::map<CacheKey, std::shared_ptr<LoadedLibrary>> loaded_;
};

}  // namespace foxhunt::compute::cpu
