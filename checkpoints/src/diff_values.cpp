#include "diff_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "blocks.hpp"
#include "text.hpp"

namespace foxhunt::checkpoints {

namespace {

using h5::check;

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// In integers where T is one: int64 values are not all distinct as doubles.
template <class T>
double gap(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    const auto high = static_cast<std::uint64_t>(std::max(a, b)),
               low = static_cast<std::uint64_t>(std::min(a, b));
    return static_cast<double>(high - low);
  } else {
    return std::fabs(static_cast<double>(a) - static_cast<double>(b));
  }
}

void note_first(Difference& out, const h5::Blocks& blocks, std::uint64_t i, std::string a, std::string b) {
  if (out.differing++ > 0) return;
  out.first_index = h5::index_of(blocks.offset() + i, blocks.shape());
  out.a = std::move(a);
  out.b = std::move(b);
}

template <class T>
void compare_block(const T* a, const T* b, const h5::Blocks& blocks, std::optional<double> tolerance,
                   Difference& out) {
  if (std::memcmp(a, b, blocks.count() * sizeof(T)) == 0) return;
  for (std::uint64_t i = 0; i < blocks.count(); ++i) {
    if (same_bits(a[i], b[i])) continue;
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    const bool finite = std::isfinite(x) && std::isfinite(y);
    const double distance = finite ? gap(a[i], b[i]) : 0;
    const double scale = std::max(std::fabs(x), std::fabs(y));
    if (tolerance && finite && distance <= *tolerance * std::max(1.0, scale)) continue;
    note_first(out, blocks, i, number(a[i]),
               number(b[i]) + (std::isnan(x) && std::isnan(y) ? " of other bits" : ""));
    if (!finite) {
      ++out.not_finite;
    } else {
      out.max_abs = std::max(out.max_abs, distance);
      if (scale > 0) out.max_rel = std::max(out.max_rel, distance / scale);
    }
  }
}

template <class T>
void compare_numbers(const DatasetSide& a, const DatasetSide& b, hid_t memory_type,
                     std::optional<double> tolerance, Difference& out) {
  std::vector<T> buffer_a, buffer_b;
  for (h5::Blocks blocks(a.dataset, sizeof(T), out.path); blocks.next();) {
    const auto read = [&](const DatasetSide& side, std::vector<T>& to) {
      to.resize(blocks.largest());
      check(H5Dread(side.dataset, memory_type, blocks.memory(), blocks.file(), H5P_DEFAULT, to.data()),
            side.damaged);
    };
    read(a, buffer_a);
    read(b, buffer_b);
    compare_block(buffer_a.data(), buffer_b.data(), blocks, tolerance, out);
  }
}

void compare_strings(const DatasetSide& a, const DatasetSide& b, Difference& out) {
  for (h5::Blocks blocks(a.dataset, H5Tget_size(a.type), out.path); blocks.next();) {
    const auto read = [&](const DatasetSide& side) {
      return h5::read_strings(side.type, blocks.memory(), blocks.count(), [&](hid_t memory, void* buffer) {
        check(H5Dread(side.dataset, memory, blocks.memory(), blocks.file(), H5P_DEFAULT, buffer),
              side.damaged);
      });
    };
    const auto texts_a = read(a), texts_b = read(b);
    for (std::size_t i = 0; i < texts_a.size(); ++i) {
      if (texts_a[i] != texts_b[i]) note_first(out, blocks, i, in_quotes(texts_a[i]), in_quotes(texts_b[i]));
    }
  }
}

bool holds_addresses(hid_t type) {
  return H5Tdetect_class(type, H5T_VLEN) != 0 || H5Tdetect_class(type, H5T_REFERENCE) != 0 ||
         H5Tdetect_class(type, H5T_STRING) != 0;
}

// Elements of other types are equal when their bytes are, unless the bytes are addresses in the file.
void compare_bytes(const DatasetSide& a, const DatasetSide& b, Difference& out) {
  if (holds_addresses(a.type) || H5Tequal(a.type, b.type) <= 0) {
    out.a = out.b = "not comparable: " + h5::type_text(a.type);
    out.differing = out.total;
    return;
  }
  const std::size_t size = H5Tget_size(a.type);
  std::vector<char> bytes_a, bytes_b;
  for (h5::Blocks blocks(a.dataset, size, out.path); blocks.next();) {
    const auto read = [&](const DatasetSide& side, std::vector<char>& to) {
      to.assign(blocks.largest() * size, 0);
      check(H5Dread(side.dataset, a.type, blocks.memory(), blocks.file(), H5P_DEFAULT, to.data()),
            side.damaged);
    };
    read(a, bytes_a);
    read(b, bytes_b);
    for (std::uint64_t i = 0; i < blocks.count(); ++i) {
      if (std::memcmp(&bytes_a[i * size], &bytes_b[i * size], size) != 0) {
        note_first(out, blocks, i, "(bytes)", "(bytes)");
      }
    }
  }
}

}  // namespace

void compare_values(const DatasetSide& a, const DatasetSide& b, std::optional<double> tolerance,
                    Difference& out) {
  using Kind = h5::Numeric::Kind;
  const auto number_kind = h5::numeric(a.type);
  if (!number_kind) {
    H5Tget_class(a.type) == H5T_STRING ? compare_strings(a, b, out) : compare_bytes(a, b, out);
  } else if (number_kind->kind == Kind::signed_integer) {
    compare_numbers<std::int64_t>(a, b, H5T_NATIVE_INT64, tolerance, out);
  } else if (number_kind->kind == Kind::unsigned_integer) {
    compare_numbers<std::uint64_t>(a, b, H5T_NATIVE_UINT64, tolerance, out);
  } else if (number_kind->bytes <= 4) {
    compare_numbers<float>(a, b, H5T_NATIVE_FLOAT, tolerance, out);
  } else {
    compare_numbers<double>(a, b, H5T_NATIVE_DOUBLE, tolerance, out);
  }
}

}  // namespace foxhunt::checkpoints
