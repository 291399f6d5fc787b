#include "h5_attributes.hpp"

#include <algorithm>
#include <cstring>

#include "text.hpp"

namespace foxhunt::checkpoints::h5 {

namespace {

// More than any attribute can sensibly hold; a damaged file must not make us allocate what it claims.
constexpr std::uint64_t attribute_limit = 64u << 20;

void create_and_write(hid_t object, const std::string& name, hid_t type, hid_t memory, hid_t space,
                      const void* data) {
  const std::string what = "cannot write attribute " + name;
  Id creation(H5Pcreate(H5P_ATTRIBUTE_CREATE), what);
  check(H5Pset_char_encoding(creation, H5T_CSET_UTF8), what);
  const Id attribute(H5Acreate2(object, name.c_str(), type, space, creation, H5P_DEFAULT), what);
  check(H5Awrite(attribute, memory, data), what);
}

void refuse_nul(const std::string& name, const std::string& text) {
  if (text.find('\0') != std::string::npos) {
    throw Error("attribute " + name +
                " holds a NUL character, which HDF5 strings cannot keep; write it as a tensor");
  }
}

template <class T>
void numbers(const std::vector<char>& bytes, std::size_t count, RawAttribute& out) {
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  std::vector<std::string> texts;
  for (const T value : values) texts.push_back(number(value));
  out.text = out.scalar ? texts.front() : "[" + join(texts, ", ") + "]";
  if (!out.scalar) return;
  if constexpr (std::is_same_v<T, double>) {
    out.value = values[0];
  } else if (std::is_same_v<T, std::int64_t> || values[0] <= static_cast<T>(INT64_MAX)) {
    out.value = static_cast<std::int64_t>(values[0]);
  }
}

void read_values(hid_t attribute, hid_t type, hid_t space, std::uint64_t count, const std::string& what,
                 RawAttribute& out) {
  const auto read = [&](hid_t memory, void* buffer) { check(H5Aread(attribute, memory, buffer), what); };
  if (H5Tget_class(type) == H5T_STRING) {
    auto texts = read_strings(type, space, count, read);
    std::vector<std::string> texts_in_quotes;
    for (const auto& text : texts) {
      out.content += std::to_string(text.size()) + ":" + text;
      texts_in_quotes.push_back(in_quotes(text));
    }
    out.text = out.scalar ? texts_in_quotes.front() : "[" + join(texts_in_quotes, ", ") + "]";
    if (out.scalar) {
      out.value = texts.front();
    } else if (out.shape.size() == 1) {
      out.value = std::move(texts);
    }
    return;
  }
  const auto kind = numeric(type);
  if (!kind && (H5Tdetect_class(type, H5T_VLEN) != 0 || H5Tdetect_class(type, H5T_REFERENCE) != 0 ||
                H5Tdetect_class(type, H5T_STRING) != 0)) {
    // Such values are addresses in the file, which mean nothing outside it.
    out.text = "(" + out.type + ")";
    return;
  }
  const hid_t memory = !kind                                         ? type
                       : kind->kind == Numeric::Kind::floating       ? H5T_NATIVE_DOUBLE
                       : kind->kind == Numeric::Kind::signed_integer ? H5T_NATIVE_INT64
                                                                     : H5T_NATIVE_UINT64;
  std::vector<char> bytes(count * std::max<std::size_t>(H5Tget_size(memory), 1));
  if (count > 0) read(memory, bytes.data());
  out.content.assign(bytes.begin(), bytes.end());
  if (!kind) {
    out.text = "(" + out.type + ")";
  } else if (kind->kind == Numeric::Kind::floating) {
    numbers<double>(bytes, count, out);
  } else if (kind->kind == Numeric::Kind::signed_integer) {
    numbers<std::int64_t>(bytes, count, out);
  } else {
    numbers<std::uint64_t>(bytes, count, out);
  }
}

RawAttribute read_opened(hid_t attribute, const std::string& path, const std::string& name) {
  const std::string what = "attribute " + path + "@" + name + " cannot be read: damaged";
  const Id type(H5Aget_type(attribute), what);
  const Id space(H5Aget_space(attribute), what);
  RawAttribute out;
  out.name = name;
  out.type = type_text(type);
  if (H5Sget_simple_extent_type(space) == H5S_NULL) {
    out.scalar = false;
    out.type += " (empty)";
    out.text = "(empty)";
    return out;
  }
  out.shape = shape(space, what);
  out.scalar = out.shape.empty();
  std::uint64_t count = 1, size = std::max<std::size_t>(H5Tget_size(type), 8);
  for (const auto extent : out.shape) {
    if (__builtin_mul_overflow(count, extent, &count)) throw Error(what + ": impossible shape");
  }
  if (__builtin_mul_overflow(count, size, &size) || size > attribute_limit) {
    throw Error(what + ": larger than an attribute can be");
  }
  read_values(attribute, type, space, count, what, out);
  return out;
}

}  // namespace

void write_attribute(hid_t object, const std::string& name, const Attribute& value) {
  const std::string what = "cannot write attribute " + name;
  const Id scalar(H5Screate(H5S_SCALAR), what);
  if (const auto* text = std::get_if<std::string>(&value)) {
    refuse_nul(name, *text);
    std::string padded = *text;
    padded.resize(std::max<std::size_t>(padded.size(), 1), '\0');
    const Id type = string_type(padded.size());
    create_and_write(object, name, type, type, scalar, padded.data());
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    create_and_write(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, scalar, integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    create_and_write(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, scalar, real);
  } else {
    const auto& list = std::get<std::vector<std::string>>(value);
    std::size_t length = 1;
    for (const auto& item : list) {
      refuse_nul(name, item);
      length = std::max(length, item.size());
    }
    std::string table;
    for (const auto& item : list) {
      table += item;
      table.append(length - item.size(), '\0');
    }
    const Id type = string_type(length);
    const hsize_t count = list.size();
    const Id space(H5Screate_simple(1, &count, nullptr), what);
    create_and_write(object, name, type, type, space, table.data());
  }
}

std::optional<RawAttribute> read_attribute(hid_t object, const std::string& path, const std::string& name) {
  const htri_t exists = H5Aexists(object, name.c_str());
  if (exists < 0) fail("attributes of " + path + " cannot be read: damaged");
  if (exists == 0) return std::nullopt;
  const Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT),
                     "attribute " + path + "@" + name + " cannot be read");
  return read_opened(attribute, path, name);
}

std::vector<RawAttribute> read_attributes(hid_t object, const std::string& path) {
  const std::string what = "attributes of " + path + " cannot be read: damaged";
  H5O_info_t info{};
  check(H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS), what);
  std::vector<RawAttribute> out;
  for (hsize_t i = 0; i < info.num_attrs; ++i) {
    const Id attribute(H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT),
                       what);
    const ssize_t length = H5Aget_name(attribute, 0, nullptr);
    if (length < 0) fail(what);
    std::string name(static_cast<std::size_t>(length), '\0');
    if (H5Aget_name(attribute, name.size() + 1, name.data()) < 0) fail(what);
    out.push_back(read_opened(attribute, path, name));
  }
  return out;
}

}  // namespace foxhunt::checkpoints::h5
