#pragma once
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <foxhunt/checkpoints/tensor.hpp>
#include <foxhunt/error.hpp>

namespace foxhunt::checkpoints::h5 {

/// Every use of HDF5 happens inside a Session: it keeps HDF5's error stack off stderr, and keeps threads
/// apart where the library was built without thread safety.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t handler_ = nullptr;
  void* handler_data_ = nullptr;
};

/// Throws Error: `what`, then HDF5's innermost message. Call it before any other HDF5 call, which would clear
/// it.
[[noreturn]] void fail(const std::string& what);
/// HDF5's innermost message of the last call.
std::string last_message();

/// Owns any HDF5 identifier.
class Id {
 public:
  Id() = default;
  Id(hid_t id, const std::string& what) : id_(id) {
    if (id < 0) fail(what);
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Id() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  operator hid_t() const { return id_; }
  /// Closing a file can fail, and then its destructor would hide it.
  herr_t close() { return H5Idec_ref(std::exchange(id_, H5I_INVALID_HID)); }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

inline void check(herr_t status, const std::string& what) {
  if (status < 0) fail(what);
}

/// A UTF-8 string type of fixed length: variable-length strings would live in the one structure of the file
/// that HDF5 does not checksum.
Id string_type(std::size_t length);

/// Little-endian type in the file, and the machine's own in memory.
hid_t file_type(DType type);
hid_t memory_type(DType type);

struct Numeric {
  enum class Kind { floating, signed_integer, unsigned_integer } kind;
  std::size_t bytes;
  bool big_endian;
};
/// What kind of number a type is; nothing for other types. Enumerations count as their integers.
std::optional<Numeric> numeric(hid_t type);
/// The DType of a type, if it is one of ours in either byte order.
std::optional<DType> dtype(hid_t type);
/// "f32", "i16be", "string", "compound (24 bytes)".
std::string type_text(hid_t type);

/// Dimensions of a simple or scalar dataspace.
std::vector<std::uint64_t> shape(hid_t space, const std::string& what);

/// Opens for reading. Errors say whether the file is missing, no HDF5 file, or damaged.
Id open_file(const std::string& path);

/// Strings of a scalar or simple attribute or dataset of strings, fixed or variable in length.
/// `read(type, buffer)` is H5Aread or H5Dread.
template <class Read>
std::vector<std::string> read_strings(hid_t type, hid_t space, std::size_t count, const Read& read);

}  // namespace foxhunt::checkpoints::h5

namespace foxhunt::checkpoints::h5 {

template <class Read>
std::vector<std::string> read_strings(hid_t type, hid_t space, std::size_t count, const Read& read) {
  std::vector<std::string> out(count);
  if (count == 0) return out;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> pointers(count, nullptr);
    read(type, static_cast<void*>(pointers.data()));
    for (std::size_t i = 0; i < count; ++i) {
      if (pointers[i]) out[i] = pointers[i];
    }
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
    return out;
  }
  const std::size_t length = H5Tget_size(type);
  const H5T_str_t padding = H5Tget_strpad(type);
  std::vector<char> bytes(count * length);
  read(type, static_cast<void*>(bytes.data()));
  for (std::size_t i = 0; i < count; ++i) {
    std::string text(bytes.data() + i * length, length);
    if (padding == H5T_STR_NULLTERM) text.resize(std::min(text.find('\0'), text.size()));
    const char pad = padding == H5T_STR_SPACEPAD ? ' ' : '\0';
    while (!text.empty() && text.back() == pad) text.pop_back();
    out[i] = std::move(text);
  }
  return out;
}

}  // namespace foxhunt::checkpoints::h5
