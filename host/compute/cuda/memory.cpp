#include "memory.hpp"

#include <algorithm>
#include <cstring>
#include <foxhunt/error.hpp>

namespace foxhunt::compute::cuda {
namespace {

constexpr size_t kAlignment = 256;

}  // namespace

void Memory::allocate(const Tensors& tensors) {
  if (tensors_)
    throw Error("the tensors of a compute backend are given their memory once; this is the second call.");
  size_t total = 0;
  std::vector<size_t> offsets;
  for (TensorId id = 1; id <= tensors.count(); ++id) {
    if (const TensorSpec& spec = tensors[id]; spec.parent) {
      offsets.push_back(offsets.at(spec.parent - 1) +
                        static_cast<size_t>(spec.parent_offset) * bytes_of(spec.dtype));
      continue;
    }
    offsets.push_back(total);
    total += (tensors.bytes(id) + kAlignment - 1) / kAlignment * kAlignment;
  }
  total = std::max(total, kAlignment);
  arena_ = allocate_device(total, "the tensors");
  FOXHUNT_CUDA(cudaMemsetAsync(arena_.get(), 0, total, device_.stream.get()));
  device_.synchronize();
  offsets_ = std::move(offsets);
  tensors_ = &tensors;
}

const Tensors& Memory::tensors() const {
  if (!tensors_)
    throw Error("the compute backend has no tensors yet: `allocate` comes before their first use.");
  return *tensors_;
}

void* Memory::at(TensorId id) const {
  if (id == 0 || id > offsets_.size())
    throw Error("tensor " + std::to_string(id) + " is not among the " + std::to_string(offsets_.size()) +
                " that were given memory: register all tensors before `allocate`.");
  return static_cast<char*>(arena_.get()) + offsets_[id - 1];
}

void* Memory::at(const Operand& operand) const {
  return static_cast<char*>(at(operand.tensor)) +
         static_cast<size_t>(operand.offset) * bytes_of(tensors()[operand.tensor].dtype);
}

char* Memory::window(TensorId id, size_t bytes, size_t byte_offset) const {
  const Tensors& table = tensors();
  char* begin = static_cast<char*>(at(id));
  const size_t size = table.bytes(id);
  if (byte_offset > size || bytes > size - byte_offset)
    throw Error("bytes " + std::to_string(byte_offset) + " to " + std::to_string(byte_offset + bytes) +
                " were asked of tensor '" + table[id].name + "', which has " + std::to_string(size) + ".");
  return begin + byte_offset;
}

void Memory::upload(TensorId id, const void* from, size_t bytes, size_t byte_offset) {
  void* to = window(id, bytes, byte_offset);
  if (bytes)
    FOXHUNT_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, device_.stream.get()),
                 "upload of tensor '" + tensors()[id].name + "'");
  device_.synchronize();
}

void Memory::download(TensorId id, void* to, size_t bytes, size_t byte_offset) {
  const void* from = window(id, bytes, byte_offset);
  if (bytes)
    FOXHUNT_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, device_.stream.get()),
                 "download of tensor '" + tensors()[id].name + "'");
  device_.synchronize();
}

const void* Memory::mirror(TensorId id) {
  const size_t bytes = std::max<size_t>(tensors().bytes(id), 1);
  if (const auto known = mirrors_.find(id); known != mirrors_.end()) return known->second.get();
  PinnedMemory memory = allocate_pinned(bytes, "the mirror of '" + tensors()[id].name + "'");
  std::memset(memory.get(), 0, bytes);
  return mirrors_.emplace(id, std::move(memory)).first->second.get();
}

}  // namespace foxhunt::compute::cuda
