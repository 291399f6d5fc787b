#pragma once
#include <hdf5.h>

#include <foxhunt/error.hpp>
#include <string>
#include <utility>

#include "market/market.hpp"

namespace foxhunt::market {

/// Owns one HDF5 identifier, closed by the function that belongs to its kind.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close closer, const std::string& failure) : id_(id), close_(closer) {
    if (id < 0) throw Error(failure);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const {
    return id_;
  }  // NOLINT(google-explicit-constructor): the C API takes hid_t everywhere
  /// Closes now and says whether that worked: closing a file is what writes its last bytes.
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  Close close_;
};

/// Silences HDF5's own printing of errors while it lives; they are reported as foxhunt::Error.
class QuietHdf5 {
 public:
  QuietHdf5() {
    // Every file is closed in its scope. The library's clean-up at exit has nothing to do but complain about
    // what it loses itself when it meets a damaged file ("infinite loop closing library").
    static const bool once = H5dont_atexit() >= 0;
    static_cast<void>(once);
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Scalar attributes: 64-bit integers, doubles and fixed-length UTF-8 strings. Errors name `path`.
void write_attribute(hid_t object, const std::string& name, const Attribute& value, const std::string& path);
/// Throws foxhunt::Error if it is missing or none of the three types.
Attribute read_attribute(hid_t object, const std::string& name, const std::string& path);
std::map<std::string, Attribute> read_attributes(hid_t object, const std::string& path);

}  // namespace foxhunt::market
