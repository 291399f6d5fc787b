#include <algorithm>
#include <set>

#include <foxhunt/checkpoints/tensor_file.hpp>
#include <foxhunt/checkpoints/writer.hpp>

#include "atomic_file.hpp"
#include "h5.hpp"
#include "h5_attributes.hpp"
#include "memory_file.hpp"
#include "text.hpp"

namespace foxhunt::checkpoints {

namespace {

using h5::check;
using h5::Id;

// A chunk is the unit of compression and of checksum, and fits HDF5's default chunk cache.
constexpr std::uint64_t chunk_bytes = 1u << 20;

void validate_path(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw Error("checkpoint tensor \"" + printable(path) + "\": " + why +
                "; expected a path such as /encoder/online/w");
  };
  if (!path.starts_with('/')) refuse("the path does not start with '/'");
  if (is_at_or_below(path, "/meta")) refuse("/meta holds attributes only");
  std::size_t start = 1;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string name = path.substr(start, end - start);
    if (name.empty()) refuse("a part of the path is empty");
    if (name == "." || name == "..") refuse("'.' and '..' are no names");
    if (name.find('\0') != std::string::npos) refuse("it holds a NUL character");
    start = end + 1;
  }
}

void validate(const ConstTensorView& tensor) {
  const TensorSpec& spec = tensor.spec;
  validate_path(spec.path);
  if (spec.shape.size() > 4) {
    throw Error(spec.path + ": shape " + shape_text(spec.shape) + " has more than 4 dimensions");
  }
  if (tensor.data.size() != spec.bytes()) {
    throw Error(spec.path + ": " + spec.type_text() + " needs " + number(spec.bytes()) + " bytes, but " +
                number(std::uint64_t{tensor.data.size()}) + " were given");
  }
  if (!spec.axes.empty() && spec.axes.size() != spec.shape.size()) {
    throw Error(spec.path + ": " + number(std::uint64_t{spec.axes.size()}) + " axis names for shape " +
                shape_text(spec.shape) + "; expected one per dimension, or none");
  }
}

// Sorted by path, so the bytes of the file do not depend on the order in which tensors were registered.
std::vector<const ConstTensorView*> sorted(std::span<const ConstTensorView> tensors) {
  std::vector<const ConstTensorView*> out;
  std::set<std::string_view> datasets;
  for (const auto& tensor : tensors) {
    validate(tensor);
    if (!datasets.insert(tensor.spec.path).second)
      throw Error(tensor.spec.path + " is in the checkpoint twice");
    out.push_back(&tensor);
  }
  for (const auto* tensor : out) {
    const std::string_view path = tensor->spec.path;
    for (std::size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1)) {
      if (datasets.contains(path.substr(0, slash))) {
        throw Error(std::string(path.substr(0, slash)) + " is both a tensor and the folder of " +
                    tensor->spec.path);
      }
    }
  }
  std::sort(out.begin(), out.end(), [](auto* a, auto* b) { return a->spec.path < b->spec.path; });
  return out;
}

Id creation_list(hid_t kind) {
  Id list(H5Pcreate(kind), "cannot prepare the checkpoint");
  check(H5Pset_obj_track_times(list, false), "cannot prepare the checkpoint");
  return list;
}

Id utf8_links() {
  Id list(H5Pcreate(H5P_LINK_CREATE), "cannot prepare the checkpoint");
  check(H5Pset_char_encoding(list, H5T_CSET_UTF8), "cannot prepare the checkpoint");
  return list;
}

void create_group(hid_t file, const std::string& path) {
  const Id creation = creation_list(H5P_GROUP_CREATE);
  const Id group(H5Gcreate2(file, path.c_str(), utf8_links(), creation, H5P_DEFAULT),
                 "cannot create group " + path);
}

// Chunks cover whole trailing dimensions, as many as fit, so that reading rows in order decodes each chunk
// once.
std::vector<hsize_t> chunk_shape(const TensorSpec& spec) {
  std::vector<hsize_t> chunk(spec.shape.size(), 1);
  std::uint64_t room = std::max<std::uint64_t>(chunk_bytes / size_of(spec.dtype), 1);
  for (std::size_t axis = spec.shape.size(); axis-- > 0;) {
    chunk[axis] = std::min<std::uint64_t>(spec.shape[axis], room);
    if (chunk[axis] < spec.shape[axis]) break;
    room = std::max<std::uint64_t>(room / spec.shape[axis], 1);
  }
  return chunk;
}

// Scalars and tensors without elements live in the object header, which HDF5 checksums by itself.
Id dataset_creation(const TensorSpec& spec) {
  Id creation = creation_list(H5P_DATASET_CREATE);
  const std::string what = "cannot prepare dataset " + spec.path;
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), what);
  if (spec.shape.empty() || spec.elements() == 0) {
    check(H5Pset_layout(creation, H5D_COMPACT), what);
    return creation;
  }
  const auto chunk = chunk_shape(spec);
  check(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()), what);
  if (size_of(spec.dtype) > 1) check(H5Pset_shuffle(creation), what);
  check(H5Pset_deflate(creation, 1), what);
  check(H5Pset_fletcher32(creation), what);
  return creation;
}

void write_tensor(hid_t file, const ConstTensorView& tensor) {
  const TensorSpec& spec = tensor.spec;
  const std::string what = "cannot write dataset " + spec.path;
  const std::vector<hsize_t> sizes(spec.shape.begin(), spec.shape.end());
  const Id space(sizes.empty() ? H5Screate(H5S_SCALAR)
                               : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
                 what);
  const Id dataset(H5Dcreate2(file, spec.path.c_str(), h5::file_type(spec.dtype), space, utf8_links(),
                              dataset_creation(spec), H5P_DEFAULT),
                   what);
  if (!tensor.data.empty()) {
    check(H5Dwrite(dataset, h5::memory_type(spec.dtype), H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.data.data()),
          what);
  }
  if (!spec.axes.empty()) h5::write_attribute(dataset, "axes", spec.axes);
  if (!spec.unit.empty()) h5::write_attribute(dataset, "unit", spec.unit);
}

void write_meta(hid_t file, const Attributes& attributes) {
  create_group(file, "/meta");
  const Id meta(H5Gopen2(file, "/meta", H5P_DEFAULT), "cannot open /meta");
  h5::write_attribute(meta, "schema", std::string(schema_name));
  h5::write_attribute(meta, "schema_version", schema_version);
  for (const auto& [name, value] : attributes) {
    if (name == "schema" || name == "schema_version" || name.empty() ||
        name.find('\0') != std::string::npos) {
      throw Error("checkpoint attribute \"" + printable(name) +
                  "\": this name is the schema's own, or no name");
    }
    h5::write_attribute(meta, name, value);
  }
}

void write_sorted(hid_t file, const std::vector<const ConstTensorView*>& tensors) {
  std::set<std::string> groups;
  for (const auto* tensor : tensors) {
    const std::string& path = tensor->spec.path;
    for (std::size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1)) {
      if (groups.insert(path.substr(0, slash)).second) create_group(file, path.substr(0, slash));
    }
    write_tensor(file, *tensor);
  }
}

}  // namespace

Image build_image(const Checkpoint& content) {
  const h5::Session session;
  const auto tensors = sorted(content.tensors);
  MemoryFile file;
  write_meta(file, content.meta);
  write_sorted(file, tensors);
  return file.finish();
}

void write_tensors(const std::filesystem::path& target, const Attributes& attributes,
                   std::span<const ConstTensorView> tensors) {
  const h5::Session session;
  const auto in_order = sorted(tensors);
  MemoryFile file;
  for (const auto& [name, value] : attributes) h5::write_attribute(file, name, value);
  write_sorted(file, in_order);
  write_atomically(target, file.finish().bytes());
}

}  // namespace foxhunt::checkpoints
