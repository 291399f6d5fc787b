#pragma once
#include <memory>
#include <vector>

#include "compute/compute.hpp"
#include "gemm.hpp"
#include "kernels.hpp"
#include "memory.hpp"

namespace foxhunt::compute::cpu {

/// Dynamic shared memory: one block at a time per worker.
class SharedArenas {
 public:
  explicit SharedArenas(int workers) : arenas_(static_cast<size_t>(workers)) {}
  /// Makes room for blocks of this size; not while something runs.
  void reserve(size_t bytes);
  std::byte* of(int worker) const { return arenas_[static_cast<size_t>(worker)].data(); }

 private:
  std::vector<Arena> arenas_;
};

/// What all executables of one backend use.
struct Engine {
  Engine(int threads, bool real64_) : real64(real64_), pool(threads), shared(pool.threads()) {}
  const bool real64;
  Pool pool;
  SharedArenas shared;
  std::unique_ptr<Memory> memory;  ///< set by allocate()
};

/// One operation with everything resolved.
class Task {
 public:
  virtual ~Task() = default;
  virtual void run(Engine& engine) = 0;
};

/// @param libraries  of the program's units, in order
std::vector<std::unique_ptr<Task>> make_tasks(Engine& engine, const Tensors& tensors, const Program& program,
                                              const std::vector<std::shared_ptr<LoadedLibrary>>& libraries);

/// Blocks for `count` elements: a function of the count alone.
uint64_t blocks_for_elements(uint64_t count);

}  // namespace foxhunt::compute::cpu
