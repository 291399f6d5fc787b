#pragma once
#include <memory>
#include <vector>

#include "arena.hpp"
#include "compute/program.hpp"

namespace foxhunt::compute::cpu {

/// Where the tensors of one table lie: side by side in one arena, each aligned to 256 bytes.
class Memory {
 public:
  /// @param real64  f32 tensors hold doubles
  Memory(const Tensors& tensors, bool real64);

  /// @throws foxhunt::Error for a tensor declared after the memory was given out.
  std::byte* at(TensorId id) const;
  std::byte* at(const Operand& o) const {
    return at(o.tensor) + o.offset * static_cast<int64_t>(element(o.tensor));
  }
  size_t bytes(TensorId id) const;
  size_t bytes(const Operand& o) const;
  size_t element(TensorId id) const;  ///< bytes of one element
  /// @throws foxhunt::Error if there is no such tensor or the window is not inside of it.
  std::byte* window(TensorId id, size_t bytes, size_t offset, const char* verb) const;

 private:
  const Tensors& tensors_;
  bool real64_;
  Arena arena_;
  std::vector<std::byte*> at_;
};

}  // namespace foxhunt::compute::cpu
