#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_source.hpp"
#include "sha256.hpp"

namespace foxhunt::compute {

using CacheKey = Sha256::Digest;
using Bytes = std::vector<std::byte>;

/// Key of a compiled unit: every byte that the compiler sees, and nothing of where it lies.
/// @param target  what the code is for: "sm_90", or "cpu" and the expanded meaning of -march=native
/// @param compiler  name and version with build number
/// @param options  in the order in which the compiler gets them
CacheKey unit_key(const UnitSource& source, std::string_view target, std::string_view compiler,
                  const std::vector<std::string>& options);

/// Key of the cubin of a unit, the same for compiling ahead and for a device.
/// @param arch  "sm_90"
/// @param compiler  text of foxhunt_cuda_compiler_version()
CacheKey cubin_key(const UnitSource& source, std::string_view arch, bool parity, std::string_view compiler);

/// Compiled kernels on disk. An entry is executable code, so the folder must belong to the user alone and
/// every byte of an entry is verified by each load. Problems with the folder never stop the program: one
/// warning, no cache. Many threads and processes may use one folder at once.
class Cache {
 public:
  /// FOXHUNT_CACHE_DIR, else XDG_CACHE_HOME/foxhunt, else ~/.cache/foxhunt; FOXHUNT_CACHE_MAX_MB (1024).
  /// @throws foxhunt::Error if FOXHUNT_CACHE_MAX_MB is not a number.
  static Cache from_environment();
  Cache(const std::string& folder, uint64_t max_bytes);
  ~Cache();
  Cache(Cache&&) noexcept;
  Cache& operator=(Cache&&) = delete;

  /// The bytes stored under the key; nothing if there are none or the entry is damaged.
  std::optional<Bytes> load(const CacheKey& key) const;
  /// Never throws for reasons of the disk.
  void store(const CacheKey& key, std::span<const std::byte> payload) const;

  struct Report {
    std::string folder;
    std::string problem;  ///< why there is no cache; empty if there is one
    size_t entries = 0;
    uint64_t bytes = 0, max_bytes = 0;
  };
  Report report() const;
  /// Removes all entries, and nothing else that lies in the folder. Returns how many.
  size_t clear() const;

 private:
  std::string open_folder();
  void trim(const std::string& keep) const;
  std::string folder_, problem_;
  uint64_t max_bytes_ = 0;
  int fd_ = -1;
};

/// Loads, or compiles and stores. `compile` throws if it fails; failures are not stored.
Bytes load_or_compile(const Cache& cache, const CacheKey& key, const std::function<Bytes()>& compile,
                      bool& was_cached);

/// For `foxhunt cache`: the cache that the environment names.
Cache::Report cache_report();
size_t cache_clear();

}  // namespace foxhunt::compute
