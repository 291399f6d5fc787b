#pragma once
#include <map>
#include <vector>

#include "compute/program.hpp"
#include "device.hpp"

namespace foxhunt::compute::cuda {

/// Device memory of all tensors of a table: one allocation, each tensor on a 256-byte boundary, zeroed; and
/// their host mirrors in pinned memory.
class Memory {
 public:
  explicit Memory(const Device& device) : device_(device) {}

  void allocate(const Tensors& tensors);
  /// @throws foxhunt::Error before `allocate`.
  const Tensors& tensors() const;
  void* at(TensorId id) const;
  void* at(const Operand& operand) const;

  /// Blocking, after all submitted work.
  void upload(TensorId id, const void* from, size_t bytes, size_t byte_offset);
  void download(TensorId id, void* to, size_t bytes, size_t byte_offset);

  const void* mirror(TensorId id);
  const std::map<TensorId, PinnedMemory>& mirrors() const { return mirrors_; }

 private:
  char* window(TensorId id, size_t bytes, size_t byte_offset) const;

  const Device& device_;
  const Tensors* tensors_ = nullptr;
  DeviceMemory arena_;
  std::vector<size_t> offsets_;
  std::map<TensorId, PinnedMemory> mirrors_;
};

}  // namespace foxhunt::compute::cuda
