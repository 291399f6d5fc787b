#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "market/hdf5_handle.hpp"
#include "market/market_columns.hpp"
#include "market/market_file.hpp"
#include "market/text.hpp"

namespace foxhunt::market {
namespace {

/// deflate cannot do better than about 1:1030, so a dataset that claims more than this was not written by
/// anyone.
constexpr uint64_t kMostPerStoredByte = 1100;
constexpr uint64_t kSlackBytes = 1 << 16;

template <class T>
T attribute(hid_t object, const char* name, const std::string& path) {
  const Attribute value = read_attribute(object, name, path);
  if (const T* t = std::get_if<T>(&value)) return *t;
  throw Error("'" + path + "': attribute '" + name + "' has the wrong type");
}

void check_openable(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> f(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!f) throw Error("cannot open '" + path + "': " + std::strerror(errno));
}

std::string shape_text(const std::vector<hsize_t>& shape) {
  std::string s = "[";
  for (size_t i = 0; i < shape.size(); ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + "]";
}

std::vector<hsize_t> shape_of(hid_t set, const std::string& failure) {
  const Handle space(H5Dget_space(set), H5Sclose, failure);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > 8) throw Error(failure);
  std::vector<hsize_t> shape(static_cast<size_t>(rank));
  if (rank > 0 && H5Sget_simple_extent_dims(space, shape.data(), nullptr) < 0) throw Error(failure);
  return shape;
}

/// Reads one column. `rows` and `levels` are the file's, -1 until a column has settled them.
template <class T>
void read_column(hid_t file, const ColumnInfo& info, std::vector<T>& data, int64_t& rows, int64_t& levels,
                 const std::string& path) {
  const std::string name = "'" + path + "': column '" + info.name + "' ";
  if (H5Lexists(file, info.name, H5P_DEFAULT) <= 0) throw Error(name + "is missing");
  const std::string failure = name + "cannot be read: the file is damaged";
  const Handle set(H5Dopen2(file, info.name, H5P_DEFAULT), H5Dclose, failure);
  const Handle type(H5Dget_type(set), H5Tclose, failure);
  if (H5Tequal(type, file_type(T{})) <= 0) throw Error(name + "has another number type than the schema says");
  const std::vector<hsize_t> shape = shape_of(set, failure);
  const bool rank_fits = shape.size() == (info.per_level ? 2 : 1);
  const bool rows_fit = rank_fits && shape[0] >= 1 && (rows < 0 || shape[0] == static_cast<hsize_t>(rows));
  const bool levels_fit =
      rank_fits && (!info.per_level || (shape[1] >= 1 && shape[1] <= static_cast<hsize_t>(kMaxLevels) &&
                                        (levels < 0 || shape[1] == static_cast<hsize_t>(levels))));
  if (!rows_fit || !levels_fit)
    throw Error(name + "has shape " + shape_text(shape) + "; expected [" +
                (rows < 0 ? "rows" : std::to_string(rows)) +
                (info.per_level ? ", " + (levels < 0 ? "levels" : std::to_string(levels)) : "") + "]");
  const hsize_t cells = shape[0] * (info.per_level ? shape[1] : 1);
  const uint64_t stored = H5Dget_storage_size(set);
  if (shape[0] > (uint64_t{1} << 48) || cells * sizeof(T) > stored * kMostPerStoredByte + kSlackBytes)
    throw Error(name + "claims " + std::to_string(shape[0]) + " rows, but only " + std::to_string(stored) +
                " bytes are stored: the file is damaged");
  data.resize(cells);
  if (H5Dread(set, memory_type(T{}), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()) < 0) throw Error(failure);
  rows = static_cast<int64_t>(shape[0]);
  if (info.per_level) levels = static_cast<int64_t>(shape[1]);
}

void check_schema(hid_t file, const std::string& path) {
  const std::string import_it = "; make one with `foxhunt import` or `foxhunt generate`";
  if (H5Aexists(file, "schema") <= 0)
    throw Error("'" + path + "' is an HDF5 file, but not a market: it names no schema" + import_it);
  const auto schema = attribute<std::string>(file, "schema", path);
  if (schema != kMarketSchema)
    throw Error("'" + path + "' has the schema '" + schema + "', not '" + kMarketSchema + "'" + import_it);
  const auto version = attribute<int64_t>(file, "schema_version", path);
  if (version != kMarketSchemaVersion)
    throw Error("'" + path + "' is a market file of version " + std::to_string(version) +
                "; this program reads version " + std::to_string(kMarketSchemaVersion) + ": import it again");
}

}  // namespace

Market read_market(const std::string& path) {
  const QuietHdf5 quiet;
  check_openable(path);
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw Error("'" + path +
                "' is not an HDF5 file, or is damaged; make a market file with `foxhunt import` or `foxhunt "
                "generate`");
  const std::string damaged = "'" + path + "' is a damaged HDF5 file";
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, damaged);
  check_schema(file, path);
  Market m;
  m.source = attribute<std::string>(file, "source", path);
  {
    const Handle group(H5Gopen2(file, "instrument", H5P_DEFAULT), H5Gclose,
                       "'" + path + "' has no group 'instrument'");
    m.instrument.symbol = attribute<std::string>(group, "symbol", path);
    m.instrument.tick_size = attribute<double>(group, "tick_size", path);
    m.instrument.multiplier = attribute<double>(group, "multiplier", path);
    m.instrument.currency = attribute<std::string>(group, "currency", path);
  }
  {
    const Handle group(H5Gopen2(file, "attributes", H5P_DEFAULT), H5Gclose,
                       "'" + path + "' has no group 'attributes'");
    m.attributes = read_attributes(group, path);
  }
  int64_t rows = -1, levels = -1;
  for_each_column(m, [&](const ColumnInfo& info, auto& data) {
    const bool optional = std::strcmp(info.name, "signal") == 0;
    if (!optional || H5Lexists(file, info.name, H5P_DEFAULT) > 0)
      read_column(file, info, data, rows, levels, path);
  });
  m.levels = levels;
  validate(m, "'" + path + "'");
  return m;
}

}  // namespace foxhunt::market
