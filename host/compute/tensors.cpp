#include "tensors.hpp"

#include <foxhunt/error.hpp>

namespace foxhunt::compute {

size_t bytes_of(fh_dtype dtype) {
  switch (dtype) {
    case FH_U8:
      return 1;
    case FH_F32:
    case FH_I32:
    case FH_U32:
      return 4;
    case FH_F64:
    case FH_I64:
    case FH_U64:
      return 8;
  }
  throw Error("a tensor has the unknown type number " + std::to_string(dtype) + ".");
}

const char* name_of(fh_dtype dtype) {
  switch (dtype) {
    case FH_F32:
      return "f32";
    case FH_I32:
      return "i32";
    case FH_U32:
      return "u32";
    case FH_U8:
      return "u8";
    case FH_F64:
      return "f64";
    case FH_I64:
      return "i64";
    case FH_U64:
      return "u64";
  }
  return "unknown";
}

int64_t elements_of(const fh_shape& shape) {
  int64_t n = 1;
  for (uint32_t i = 0; i < shape.rank; ++i) n *= shape.dim[i];
  return n;
}

std::string to_string(const fh_shape& shape) {
  std::string s = "[";
  for (uint32_t i = 0; i < shape.rank && i < FH_MAX_RANK; ++i)
    s += (i ? ", " : "") + std::to_string(shape.dim[i]);
  return s + "]";
}

void check_shape(const fh_shape& shape, const std::string& what) {
  if (shape.rank > FH_MAX_RANK)
    throw Error(what + ": a shape has at most " + std::to_string(FH_MAX_RANK) + " dimensions, not " +
                std::to_string(shape.rank) + ".");
  // 2^56 elements of 8 bytes still fit the byte count; zero dimensions do not excuse the others.
  int64_t product = 1;
  for (uint32_t i = 0; i < shape.rank; ++i) {
    const int64_t d = shape.dim[i];
    if (d < 0) throw Error(what + ": shape " + to_string(shape) + " has a negative dimension.");
    if (d > 0 && product > (int64_t{1} << 56) / d)
      throw Error(what + ": shape " + to_string(shape) + " has more elements than can be counted.");
    if (d > 0) product *= d;
  }
}

TensorId Tensors::add(TensorSpec spec) {
  const std::string what = "tensor '" + spec.name + "'";
  if (spec.name.empty()) throw Error("a tensor of shape " + to_string(spec.shape) + " has no name.");
  if (by_name_.contains(spec.name)) throw Error(what + " exists already. Names of tensors are unique.");
  bytes_of(spec.dtype);
  check_shape(spec.shape, what);
  if (spec.parent != 0) {
    if (spec.parent > specs_.size()) throw Error(what + " is a window of an unknown tensor.");
    const TensorSpec& parent = specs_[spec.parent - 1];
    const int64_t whole = elements_of(parent.shape), part = elements_of(spec.shape);
    if (parent.parent != 0)
      throw Error(what + " is a window of '" + parent.name + "', which is itself a window.");
    if (parent.dtype != spec.dtype)
      throw Error(what + " of type " + name_of(spec.dtype) + " is a window of '" + parent.name +
                  "' of type " + name_of(parent.dtype) + ". The types must be equal.");
    if (spec.parent_offset < 0 || spec.parent_offset > whole || part > whole - spec.parent_offset)
      throw Error(what + " of shape " + to_string(spec.shape) + " at element " +
                  std::to_string(spec.parent_offset) + " reaches beyond '" + parent.name + "' of shape " +
                  to_string(parent.shape) + ".");
  }
  specs_.push_back(std::move(spec));
  const TensorId id = count();
  by_name_.emplace(specs_.back().name, id);
  return id;
}

TensorId Tensors::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? 0 : found->second;
}

size_t Tensors::bytes(TensorId id) const {
  const TensorSpec& spec = (*this)[id];
  return static_cast<size_t>(elements_of(spec.shape)) * bytes_of(spec.dtype);
}

std::vector<TensorId> Tensors::state() const {
  std::vector<TensorId> ids;
  for (TensorId id = 1; id <= count(); ++id)
    if ((*this)[id].lifetime == Lifetime::state) ids.push_back(id);
  return ids;
}

}  // namespace foxhunt::compute
