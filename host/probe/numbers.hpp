#pragma once
#include <foxhunt/abi.h>

#include <cstddef>
#include <cstring>
#include <foxhunt/error.hpp>
#include <span>
#include <vector>

namespace foxhunt::probe {

/// Calls `f` with a zero of the C++ type behind `dtype`.
template <class F>
auto with_type(fh_dtype dtype, F&& f) {
  switch (dtype) {
    case FH_F32: return f(float{});
    case FH_I32: return f(int32_t{});
    case FH_U32: return f(uint32_t{});
    case FH_U8: return f(uint8_t{});
    case FH_F64: return f(double{});
    case FH_I64: return f(int64_t{});
    case FH_U64: return f(uint64_t{});
  }
  throw Error("a tensor has the unknown type number " + std::to_string(dtype));
}

inline std::vector<std::byte> to_bytes(fh_dtype dtype, std::span<const double> values) {
  return with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> cast;
    cast.reserve(values.size());
    for (const double v : values) cast.push_back(static_cast<T>(v));
    std::vector<std::byte> bytes(cast.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), cast.data(), bytes.size());
    return bytes;
  });
}

inline std::vector<double> from_bytes(fh_dtype dtype, std::span<const std::byte> bytes) {
  return with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> cast(bytes.size() / sizeof(T));
    if (!cast.empty()) std::memcpy(cast.data(), bytes.data(), cast.size() * sizeof(T));
    std::vector<double> values;
    values.reserve(cast.size());
    for (const T v : cast) values.push_back(static_cast<double>(v));
    return values;
  });
}

}  // namespace foxhunt::probe
