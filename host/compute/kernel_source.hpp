#pragma once
#include <string>
#include <vector>

#include "program.hpp"

namespace foxhunt::compute {

/// Which of the three forms of the kernel language a translation unit is made for.
enum class KernelMode {
  cuda,  ///< NVRTC or nvcc; FH_CUDA is defined
  cpu,   ///< system C++ compiler, a block is one thread; FH_CPU is defined
  race   ///< system C++ compiler under ThreadSanitizer, a block is many fibers; FH_RACE is defined
};

struct IncludeFile {
  std::string name;  ///< as written in the #include
  std::string text;
};

/// Everything a compiler needs: nothing else is read while compiling, so it is also what a cache key covers.
struct UnitSource {
  std::string name;                   ///< the author's file, as messages show it
  std::string owner;                  ///< KernelLibrary::owner
  std::string text;                   ///< the translation unit
  std::vector<IncludeFile> includes;  ///< closure of the quoted includes, in order of first use
  std::string kernels{};              ///< their names, as messages show them: "gae, n_step_returns"
};

/// Builds the translation unit: mode and constants as macros, `#line 1 "file"`, the author's text, then a
/// tail which asserts that every kernel the library declares in this file has the declared signature. In the
/// cpu and race modes the tail also exports per kernel
///
///     extern "C" void fh_run_NAME(void** args, unsigned long long first_block, unsigned long long
///     last_block,
///                                 unsigned long long grid_blocks, void* shared, unsigned long long
///                                 shared_bytes);
///
/// where args[i] points to the value of parameter i (for a tensor: to the pointer). It calls the function
/// template of common/platform.cuh
///
///     template <class Body> void fh_run_blocks(unsigned long long first_block, unsigned long long
///     last_block,
///                                              unsigned long long grid_blocks, void* shared,
///                                              unsigned long long shared_bytes, Body&& body);
///
/// which for each block in [first_block, last_block) sets blockIdx, gridDim and the shared memory (poisoned),
/// and calls `body()` once as each thread of the block.
/// @param real64 `real` is double (FH_REAL_IS_DOUBLE); cpu and race only.
/// @throws foxhunt::Error if a file or an include is missing or a constant cannot be written as a macro.
UnitSource unit_source(const KernelUnit& unit, KernelMode mode, bool real64 = false);

/// Name of the function exported for a kernel: "fh_run_NAME".
std::string trampoline_name(const std::string& kernel_entry);

/// Text of a kernel file of the library: its own sources first, then below kernels_folder().
/// @throws foxhunt::Error naming owner, file and where it was looked for.
std::string kernel_text(const KernelLibrary& library, const std::string& file);

}  // namespace foxhunt::compute
