#include <foxhunt/checkpoints/inspect.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "blocks.hpp"
#include "h5.hpp"
#include "h5_attributes.hpp"
#include "text.hpp"
#include "tree.hpp"

namespace foxhunt::checkpoints {

namespace {

using h5::check;
using h5::Id;

class Statistics {
 public:
  template <class T>
  void add(const T* values, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const double value = static_cast<double>(values[i]);
      if (std::isnan(value)) {
        ++stats_.nan;
      } else if (std::isinf(value)) {
        ++stats_.inf;
      } else {
        stats_.min = std::min(stats_.min, value);
        stats_.max = std::max(stats_.max, value);
        sum_ += value;
        squares_ += static_cast<long double>(value) * value;
      }
    }
    stats_.count += count;
  }

  TensorStats result() const {
    TensorStats out = stats_;
    out.finite = out.count - out.nan - out.inf;
    out.norm = static_cast<double>(std::sqrt(squares_));
    out.mean = out.finite ? static_cast<double>(sum_ / static_cast<long double>(out.finite)) : 0;
    if (out.finite == 0) out.min = out.max = 0;
    return out;
  }

 private:
  TensorStats stats_{.min = std::numeric_limits<double>::infinity(),
                     .max = -std::numeric_limits<double>::infinity()};
  long double sum_ = 0, squares_ = 0;
};

template <class T>
void numbers(hid_t dataset, hid_t memory_type, const std::string& what, InspectedObject& out) {
  Statistics statistics;
  std::vector<T> buffer;
  for (h5::Blocks blocks(dataset, sizeof(T), what); blocks.next();) {
    buffer.resize(blocks.largest());
    check(H5Dread(dataset, memory_type, blocks.memory(), blocks.file(), H5P_DEFAULT, buffer.data()), what);
    statistics.add(buffer.data(), blocks.count());
    if (blocks.elements() == 1) out.value = number(buffer[0]);
  }
  out.stats = statistics.result();
}

void read_values(hid_t dataset, hid_t type, const std::string& what, InspectedObject& out) {
  const auto kind = h5::numeric(type);
  if (!kind) {
    if (H5Tget_class(type) != H5T_STRING) return;
    const Id space(H5Dget_space(dataset), what);
    if (H5Sget_simple_extent_npoints(space) != 1) return;
    out.value = in_quotes(h5::read_strings(type, space, 1, [&](hid_t memory, void* buffer) {
                            check(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer), what);
                          }).front());
  } else if (kind->kind == h5::Numeric::Kind::signed_integer) {
    numbers<std::int64_t>(dataset, H5T_NATIVE_INT64, what, out);
  } else if (kind->kind == h5::Numeric::Kind::unsigned_integer) {
    numbers<std::uint64_t>(dataset, H5T_NATIVE_UINT64, what, out);
  } else if (kind->bytes <= 4) {
    numbers<float>(dataset, H5T_NATIVE_FLOAT, what, out);
  } else {
    numbers<double>(dataset, H5T_NATIVE_DOUBLE, what, out);
  }
}

// Damage to one dataset is that dataset's note; the others are still worth seeing.
void describe_dataset(hid_t file, const std::string& name, InspectedObject& out, std::size_t& unreadable) {
  const std::string what = name + ":" + out.path + " cannot be read: damaged";
  try {
    const Id dataset = h5::open_dataset(file, out.path, what);
    const Id type(H5Dget_type(dataset), what);
    const Id space(H5Dget_space(dataset), what);
    out.dtype = h5::type_text(type);
    if (H5Sget_simple_extent_type(space) == H5S_NULL) {
      out.note = "empty";
      return;
    }
    out.shape = h5::shape(space, what);
    out.stored_bytes = H5Dget_storage_size(dataset);
    if (out.stored_bytes == 0 && H5Sget_simple_extent_npoints(space) > 1) {
      out.note = "nothing stored";
      return;
    }
    read_values(dataset, type, what, out);
  } catch (const Error& error) {
    out.note = std::string("UNREADABLE: ") + error.what();
    ++unreadable;
  }
}

void describe_attributes(hid_t file, const std::string& name, InspectedObject& out, std::string& schema) {
  const Id object(H5Oopen(file, out.path.c_str(), H5P_DEFAULT),
                  name + ":" + out.path + " cannot be opened: damaged");
  std::string kind, version;
  for (const auto& attribute : h5::read_attributes(object, name + ":" + out.path)) {
    out.attributes.emplace_back(attribute.name, attribute.text);
    if (!attribute.value) continue;
    if (attribute.name == "schema" && std::holds_alternative<std::string>(*attribute.value)) {
      kind = std::get<std::string>(*attribute.value);
    }
    if (attribute.name == "schema_version") version = attribute.text;
  }
  if (out.path == "/meta" && !kind.empty()) schema = printable(kind) + " " + version;
}

}  // namespace

Inspection inspect(const std::filesystem::path& file, const InspectOptions& options) {
  const h5::Session session;
  Inspection out;
  out.file = file;
  const std::string name = file.string();
  const Id handle = h5::open_file(name);
  out.file_bytes = std::filesystem::file_size(file);
  const std::string prefix =
      options.prefix.empty() || options.prefix.starts_with('/') ? options.prefix : "/" + options.prefix;
  for (const auto& node : h5::tree(handle, name)) {
    InspectedObject object;
    object.path = node.path;
    object.kind = static_cast<InspectedObject::Kind>(node.kind);
    if (node.kind == h5::Node::Kind::link) {
      object.note = "-> " + node.target;
    } else {
      describe_attributes(handle, name, object, out.schema);
    }
    if (!is_at_or_below(node.path, prefix)) continue;
    if (node.kind == h5::Node::Kind::dataset) describe_dataset(handle, name, object, out.unreadable);
    out.objects.push_back(std::move(object));
  }
  if (out.objects.empty()) throw Error(name + " holds nothing at or below " + in_quotes(prefix));
  return out;
}

std::string inspect_text(const std::filesystem::path& file, const InspectOptions& options) {
  return to_text(inspect(file, options), options);
}

}  // namespace foxhunt::checkpoints
