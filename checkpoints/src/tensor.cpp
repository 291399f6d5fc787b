#include <foxhunt/checkpoints/tensor.hpp>
#include <foxhunt/error.hpp>

#include "text.hpp"

namespace foxhunt::checkpoints {

std::size_t size_of(DType type) {
  switch (type) {
    case DType::u8:
      return 1;
    case DType::f32:
    case DType::i32:
    case DType::u32:
      return 4;
    case DType::f64:
    case DType::i64:
    case DType::u64:
      return 8;
  }
  throw Error("unknown element type in a checkpoint tensor");
}

std::string_view name_of(DType type) {
  switch (type) {
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
    case DType::i32:
      return "i32";
    case DType::u32:
      return "u32";
    case DType::i64:
      return "i64";
    case DType::u64:
      return "u64";
    case DType::u8:
      return "u8";
  }
  throw Error("unknown element type in a checkpoint tensor");
}

std::uint64_t TensorSpec::elements() const {
  std::uint64_t count = 1;
  for (const auto size : shape) {
    if (__builtin_mul_overflow(count, size, &count)) {
      throw Error(path + ": shape " + shape_text(shape) + " has more elements than 64 bits can count");
    }
  }
  return count;
}

std::uint64_t TensorSpec::bytes() const {
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(elements(), std::uint64_t{size_of(dtype)}, &size)) {
    throw Error(path + ": shape " + shape_text(shape) + " has more bytes than 64 bits can count");
  }
  return size;
}

std::string TensorSpec::type_text() const { return std::string(name_of(dtype)) + " " + shape_text(shape); }

}  // namespace foxhunt::checkpoints
