#include "memory.hpp"

namespace foxhunt::compute::cpu {

Memory::Memory(const Tensors& tensors, bool real64) : tensors_(tensors), real64_(real64) {
  std::vector<size_t> offsets(tensors.count() + 1);
  size_t total = 0;
  for (TensorId id = 1; id <= tensors.count(); ++id) {
    if (tensors[id].parent) {  // registered after its parent, so that offset is known
      offsets[id] =
          offsets[tensors[id].parent] + static_cast<size_t>(tensors[id].parent_offset) * element(id);
      continue;
    }
    offsets[id] = total;
    total += (bytes(id) + 255) / 256 * 256;
  }
  arena_ = Arena(total + 256);
  for (const size_t offset : offsets) at_.push_back(arena_.data() + offset);
}

std::byte* Memory::at(TensorId id) const {
  if (id < at_.size()) return at_[id];
  throw Error("tensor '" + tensors_[id].name +
              "' was declared after allocate(): record every program before memory is given out.");
}

size_t Memory::element(TensorId id) const {
  const fh_dtype dtype = tensors_[id].dtype;
  return real64_ && dtype == FH_F32 ? sizeof(double) : bytes_of(dtype);
}

size_t Memory::bytes(TensorId id) const {
  return static_cast<size_t>(elements_of(tensors_[id].shape)) * element(id);
}
size_t Memory::bytes(const Operand& o) const {
  return static_cast<size_t>(elements_of(o.shape)) * element(o.tensor);
}

std::byte* Memory::window(TensorId id, size_t bytes, size_t offset, const char* verb) const {
  if (id == 0 || id >= at_.size())
    throw Error(std::string(verb) + ": there is no tensor number " + std::to_string(id) + ".");
  const size_t whole = this->bytes(id);
  if (offset > whole || bytes > whole - offset)
    throw Error(std::string(verb) + ": " + std::to_string(bytes) + " bytes from byte " +
                std::to_string(offset) + " on reach beyond tensor '" + tensors_[id].name + "', which has " +
                std::to_string(whole) + ".");
  return at_[id] + offset;
}

}  // namespace foxhunt::compute::cpu
