#include <cstring>
#include <vector>

#include "market/hdf5_handle.hpp"

namespace foxhunt::market {
namespace {

constexpr size_t kLongestText = 1 << 16;
constexpr size_t kMostAttributes = 4096;

Handle text_type(size_t length, const std::string& failure) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, failure);
  if (H5Tset_size(type, length == 0 ? 1 : length) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
      H5Tset_cset(type, H5T_CSET_UTF8) < 0)
    throw Error(failure);
  return type;
}

std::string until_zero(const char* text, size_t size) { return {text, strnlen(text, size)}; }

/// Fixed or variable length, ASCII or UTF-8: other tools that write attributes choose differently.
std::string read_text(hid_t attribute, hid_t type, const std::string& failure) {
  const Handle memory(H5Tcopy(type), H5Tclose, failure);
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute, memory, &text) < 0) throw Error(failure);
    const std::string copy = text ? until_zero(text, kLongestText) : "";
    H5free_memory(text);
    return copy;
  }
  const size_t size = H5Tget_size(type);
  if (size == 0 || size > kLongestText) throw Error(failure);
  std::vector<char> text(size);
  if (H5Aread(attribute, memory, text.data()) < 0) throw Error(failure);
  return until_zero(text.data(), size);
}

}  // namespace

void write_attribute(hid_t object, const std::string& name, const Attribute& value, const std::string& path) {
  const std::string failure = "cannot write attribute '" + name + "' to '" + path + "'";
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, failure);
  const auto put = [&](hid_t file_type, hid_t memory_type, const void* data) {
    const Handle a(H5Acreate2(object, name.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                   failure);
    if (H5Awrite(a, memory_type, data) < 0) throw Error(failure);
  };
  if (const auto* i = std::get_if<int64_t>(&value)) {
    put(H5T_STD_I64LE, H5T_NATIVE_INT64, i);
  } else if (const auto* d = std::get_if<double>(&value)) {
    put(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, d);
  } else {
    const auto& s = std::get<std::string>(value);
    const Handle type = text_type(s.size(), failure);
    put(type, type, s.c_str());
  }
}

Attribute read_attribute(hid_t object, const std::string& name, const std::string& path) {
  const std::string failure =
      "'" + path + "': attribute '" + name + "' cannot be read; the file is damaged or of another schema";
  if (H5Aexists(object, name.c_str()) <= 0) throw Error("'" + path + "' has no attribute '" + name + "'");
  const Handle a(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, failure);
  const Handle type(H5Aget_type(a), H5Tclose, failure);
  const Handle space(H5Aget_space(a), H5Sclose, failure);
  if (H5Sget_simple_extent_npoints(space) != 1) throw Error(failure);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER: {
      int64_t value = 0;
      if (H5Aread(a, H5T_NATIVE_INT64, &value) < 0) throw Error(failure);
      return value;
    }
    case H5T_FLOAT: {
      double value = 0;
      if (H5Aread(a, H5T_NATIVE_DOUBLE, &value) < 0) throw Error(failure);
      return value;
    }
    case H5T_STRING:
      return read_text(a, type, failure);
    default:
      throw Error(failure);
  }
}

std::map<std::string, Attribute> read_attributes(hid_t object, const std::string& path) {
  const std::string failure = "'" + path + "': its attributes cannot be listed; the file is damaged";
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* to) -> herr_t {
    auto& list = *static_cast<std::vector<std::string>*>(to);
    if (list.size() == kMostAttributes) return -1;
    list.emplace_back(name);
    return 0;
  };
  if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names) < 0) throw Error(failure);
  std::map<std::string, Attribute> all;
  for (const std::string& name : names) all[name] = read_attribute(object, name, path);
  return all;
}

}  // namespace foxhunt::market
