#include "h5.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace foxhunt::checkpoints::h5 {

namespace {

// HDF5 1.10 leaks an object header whose checksum fails, and at exit would then print "infinite loop closing
// library". Every file is closed by its owner, so nothing is left to do at exit. Only the first call into
// HDF5 can say so, hence before main.
[[maybe_unused]] const herr_t no_exit_handler = H5dont_atexit();

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace

Session::Session() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &handler_, &handler_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() { H5Eset_auto2(H5E_DEFAULT, handler_, handler_data_); }

std::string last_message() {
  std::string message;
  const auto first = [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
    if (n == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &message);
  return message.empty() ? "HDF5 gave no reason" : message;
}

void fail(const std::string& what) { throw Error(what + " (HDF5: " + last_message() + ")"); }

Id string_type(std::size_t length) {
  Id type(H5Tcopy(H5T_C_S1), "cannot make a string type");
  check(H5Tset_size(type, std::max<std::size_t>(length, 1)), "cannot make a string type");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "cannot make a string type");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "cannot make a string type");
  return type;
}

hid_t file_type(DType type) {
  switch (type) {
    case DType::f32:
      return H5T_IEEE_F32LE;
    case DType::f64:
      return H5T_IEEE_F64LE;
    case DType::i32:
      return H5T_STD_I32LE;
    case DType::u32:
      return H5T_STD_U32LE;
    case DType::i64:
      return H5T_STD_I64LE;
    case DType::u64:
      return H5T_STD_U64LE;
    case DType::u8:
      return H5T_STD_U8LE;
  }
  throw Error("unknown element type in a checkpoint tensor");
}

hid_t memory_type(DType type) {
  switch (type) {
    case DType::f32:
      return H5T_NATIVE_FLOAT;
    case DType::f64:
      return H5T_NATIVE_DOUBLE;
    case DType::i32:
      return H5T_NATIVE_INT32;
    case DType::u32:
      return H5T_NATIVE_UINT32;
    case DType::i64:
      return H5T_NATIVE_INT64;
    case DType::u64:
      return H5T_NATIVE_UINT64;
    case DType::u8:
      return H5T_NATIVE_UINT8;
  }
  throw Error("unknown element type in a checkpoint tensor");
}

std::optional<Numeric> numeric(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_ENUM) {
    const Id base(H5Tget_super(type), "cannot read an enumeration's type");
    return numeric(base);
  }
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) return std::nullopt;
  Numeric out{Numeric::Kind::floating, H5Tget_size(type), H5Tget_order(type) == H5T_ORDER_BE};
  if (kind == H5T_INTEGER) {
    out.kind =
        H5Tget_sign(type) == H5T_SGN_NONE ? Numeric::Kind::unsigned_integer : Numeric::Kind::signed_integer;
    if (out.bytes > 8) return std::nullopt;
  }
  return out;
}

std::optional<DType> dtype(hid_t type) {
  const auto number = numeric(type);
  if (!number || H5Tget_class(type) == H5T_ENUM) return std::nullopt;
  for (const DType candidate :
       {DType::f32, DType::f64, DType::i32, DType::u32, DType::i64, DType::u64, DType::u8}) {
    const auto own = numeric(file_type(candidate));
    if (own->kind == number->kind && own->bytes == number->bytes) return candidate;
  }
  return std::nullopt;
}

std::string type_text(hid_t type) {
  if (const auto number = numeric(type)) {
    const char letter = number->kind == Numeric::Kind::floating         ? 'f'
                        : number->kind == Numeric::Kind::signed_integer ? 'i'
                                                                        : 'u';
    std::string text = letter + std::to_string(8 * number->bytes);
    if (number->big_endian && number->bytes > 1) text += "be";
    return H5Tget_class(type) == H5T_ENUM ? "enum " + text : text;
  }
  const std::string size = " (" + std::to_string(H5Tget_size(type)) + " bytes)";
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      return "string";
    case H5T_COMPOUND:
      return "compound" + size;
    case H5T_ARRAY:
      return "array" + size;
    case H5T_VLEN:
      return "variable-length list";
    case H5T_REFERENCE:
      return "reference";
    case H5T_OPAQUE:
      return "opaque" + size;
    case H5T_BITFIELD:
      return "bitfield" + size;
    default:
      return "other" + size;
  }
}

std::vector<std::uint64_t> shape(hid_t space, const std::string& what) {
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) fail(what);
  hsize_t sizes[H5S_MAX_RANK] = {};
  if (H5Sget_simple_extent_dims(space, sizes, nullptr) < 0) fail(what);
  return {sizes, sizes + rank};
}

Id open_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw Error("cannot open " + path + ": no such file");
  if (!std::filesystem::is_regular_file(status)) throw Error("cannot open " + path + ": not a regular file");
  if (!std::ifstream(path, std::ios::binary)) {
    throw Error("cannot open " + path + " for reading; check its permissions");
  }
  if (std::filesystem::file_size(path, error) == 0) throw Error(path + " is empty; expected an HDF5 file");
  const htri_t is_hdf5 = H5Fis_hdf5(path.c_str());
  if (is_hdf5 == 0) throw Error(path + " is not an HDF5 file: no HDF5 signature at its start");
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
          path + " cannot be opened: truncated or damaged"};
}

}  // namespace foxhunt::checkpoints::h5
