#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "market/hdf5_handle.hpp"
#include "market/market_columns.hpp"
#include "market/market_file.hpp"

namespace foxhunt::market {
namespace {

constexpr hsize_t kChunkRows = 8192;
constexpr unsigned kDeflate = 1;  // a higher level costs several times as long for about 1 %

/// Unlinks the temporary file unless it was renamed into place.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& target) {
    static std::atomic<unsigned> counter{0};
    std::string name(1, '.');
    name +=
        target.filename().string() + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    path_ = target.parent_path() / name;
  }
  ~Temporary() {
    if (!done_) ::unlink(path_.c_str());
  }
  std::string path() const { return path_.string(); }
  void move_to(const std::filesystem::path& target) {
    if (std::rename(path_.c_str(), target.c_str()) != 0)
      throw Error("cannot move the finished file to '" + target.string() + "': " + std::strerror(errno));
    done_ = true;
  }

 private:
  std::filesystem::path path_;
  bool done_ = false;
};

void sync(const std::string& path, bool folder) {
  const int fd = ::open(path.c_str(), (folder ? O_DIRECTORY : 0) | O_RDONLY | O_CLOEXEC);
  const bool ok = fd >= 0 && ::fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!ok && !(folder && error == EINVAL))
    throw Error("cannot sync '" + path + "' to disk: " + std::strerror(error));
}

template <class T>
void write_column(hid_t file, const ColumnInfo& info, const std::vector<T>& data, const Market& m,
                  const std::string& path) {
  const std::string failure =
      "cannot write column '" + std::string(info.name) + "' to '" + path + "': is the disk full?";
  const int rank = info.per_level ? 2 : 1;
  const hsize_t shape[2] = {static_cast<hsize_t>(m.rows()), static_cast<hsize_t>(m.levels)};
  const hsize_t chunk[2] = {std::min<hsize_t>(kChunkRows, shape[0]), shape[1]};
  const Handle space(H5Screate_simple(rank, shape, nullptr), H5Sclose, failure);
  const Handle plist(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, failure);
  if (H5Pset_chunk(plist, rank, chunk) < 0 || H5Pset_shuffle(plist) < 0 ||
      H5Pset_deflate(plist, kDeflate) < 0 || H5Pset_fletcher32(plist) < 0 ||
      H5Pset_obj_track_times(plist, false) < 0)
    throw Error(failure);
  Handle set(H5Dcreate2(file, info.name, file_type(T{}), space, H5P_DEFAULT, plist, H5P_DEFAULT), H5Dclose,
             failure);
  if (H5Dwrite(set, memory_type(T{}), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()) < 0) throw Error(failure);
  write_attribute(set, "unit", std::string(info.unit), path);
  write_attribute(set, "axes", std::string(info.per_level ? "row, level (best first)" : "row"), path);
  if (info.per_level && std::strstr(info.name, "_px"))
    write_attribute(set, "absent", int64_t{kNoPrice}, path);
  if (!set.close()) throw Error(failure);
}

void write_group(hid_t file, const char* name, const std::map<std::string, Attribute>& attributes,
                 const std::string& path) {
  const std::string failure = "cannot write group '" + std::string(name) + "' to '" + path + "'";
  const Handle plist(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, failure);
  H5Pset_obj_track_times(plist, false);
  const Handle group(H5Gcreate2(file, name, H5P_DEFAULT, plist, H5P_DEFAULT), H5Gclose, failure);
  for (const auto& [key, value] : attributes) write_attribute(group, key, value, path);
}

void write_file(const std::string& temporary, const std::string& path, const Market& m) {
  const std::string failure = "cannot write '" + path + "'";
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, failure);
  // Since 1.10 the file's own structures carry checksums, so that damage is found before it is believed.
  if (H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0) throw Error(failure);
  const Handle create(H5Pcreate(H5P_FILE_CREATE), H5Pclose, failure);
  H5Pset_obj_track_times(create, false);
  Handle file(H5Fcreate(temporary.c_str(), H5F_ACC_EXCL, create, access), H5Fclose,
              failure + ": its folder does not exist or cannot be written to");
  write_attribute(file, "schema", std::string(kMarketSchema), path);
  write_attribute(file, "schema_version", kMarketSchemaVersion, path);
  write_attribute(file, "source", m.source, path);
  write_group(file, "instrument",
              {{"symbol", m.instrument.symbol},
               {"tick_size", m.instrument.tick_size},
               {"multiplier", m.instrument.multiplier},
               {"currency", m.instrument.currency}},
              path);
  write_group(file, "attributes", m.attributes, path);
  for_each_column(m, [&](const ColumnInfo& info, const auto& data) {
    if (!data.empty()) write_column(file, info, data, m, path);
  });
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 || !file.close()) throw Error(failure + ": is the disk full?");
}

}  // namespace

void write_market(const std::string& path, const Market& market) {
  validate(market, "cannot write '" + path + "'");
  const QuietHdf5 quiet;
  const std::filesystem::path target(path);
  if (std::filesystem::is_directory(target)) throw Error("cannot write '" + path + "': it is a folder");
  Temporary temporary(target);
  write_file(temporary.path(), path, market);
  sync(temporary.path(), false);
  temporary.move_to(target);
  sync(target.has_parent_path() ? target.parent_path().string() : ".", true);
}

}  // namespace foxhunt::market
