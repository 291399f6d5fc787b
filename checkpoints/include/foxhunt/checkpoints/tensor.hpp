#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace foxhunt::checkpoints {

/// Element types a checkpoint can hold; stored little-endian whatever the machine.
enum class DType : std::uint8_t { f32, f64, i32, u32, i64, u64, u8 };

std::size_t size_of(DType type);
std::string_view name_of(DType type);

template <class T>
constexpr DType dtype_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>) return DType::f32;
  if constexpr (std::is_same_v<U, double>) return DType::f64;
  if constexpr (std::is_integral_v<U> && !std::is_same_v<U, bool>) {
    if constexpr (sizeof(U) == 4) return std::is_signed_v<U> ? DType::i32 : DType::u32;
    if constexpr (sizeof(U) == 8) return std::is_signed_v<U> ? DType::i64 : DType::u64;
    if constexpr (sizeof(U) == 1 && std::is_unsigned_v<U>) return DType::u8;
  }
}

/// What is known of a tensor without its values.
struct TensorSpec {
  std::string path;  ///< absolute, as in the file: "/heads/c51/online/w"
  DType dtype = DType::f32;
  std::vector<std::uint64_t> shape;  ///< 0 to 4 dimensions, row-major; none is a scalar; a dimension may be 0
  std::vector<std::string> axes;     ///< one name per dimension, or empty
  std::string unit;                  ///< "tick", "usd", "1"; may be empty

  /// Number of elements; Error if it does not fit 64 bits.
  std::uint64_t elements() const;
  /// Size of the values in bytes; Error if it does not fit 64 bits.
  std::uint64_t bytes() const;
  /// "f32 [128, 9]", "u64 scalar".
  std::string type_text() const;
};

/// Values to be written. `data` is contiguous, row-major, exactly spec.bytes() long.
struct ConstTensorView {
  TensorSpec spec;
  std::span<const std::byte> data;
};

/// Values to be written or a place to load into.
struct TensorView {
  TensorSpec spec;
  std::span<std::byte> data;
  operator ConstTensorView() const { return {spec, data}; }
};

/// A view of `values`, const or not, under the given name.
template <class T>
auto view(std::string path, std::vector<std::uint64_t> shape, std::span<T> values,
          std::vector<std::string> axes = {}, std::string unit = {}) {
  TensorSpec spec{std::move(path), dtype_of<T>(), std::move(shape), std::move(axes), std::move(unit)};
  if constexpr (std::is_const_v<T>) {
    return ConstTensorView{std::move(spec), std::as_bytes(values)};
  } else {
    return TensorView{std::move(spec), std::as_writable_bytes(values)};
  }
}

/// A view of one value, stored as a scalar dataset.
template <class T>
auto scalar_view(std::string path, T& value, std::string unit = {}) {
  return view(std::move(path), {}, std::span<T>(&value, 1), {}, std::move(unit));
}

using Attribute = std::variant<std::string, std::int64_t, double, std::vector<std::string>>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

/// The content of one checkpoint: attributes of `/meta` and tensors everywhere else.
struct Checkpoint {
  Attributes meta;
  std::vector<ConstTensorView> tensors;
};

inline constexpr std::string_view schema_name = "foxhunt-checkpoint";
inline constexpr std::int64_t schema_version = 1;

}  // namespace foxhunt::checkpoints
