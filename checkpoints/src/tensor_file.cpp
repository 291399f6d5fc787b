#include <foxhunt/checkpoints/tensor_file.hpp>

#include <algorithm>
#include <cmath>

#include "blocks.hpp"
#include "h5.hpp"
#include "text.hpp"
#include "tree.hpp"

namespace foxhunt::checkpoints {

using h5::check;
using h5::Id;

struct TensorFile::Impl {
  std::filesystem::path path;
  std::string name;
  Id file;
  std::vector<Entry> entries;

  Entry describe(const std::string& dataset) const;
  std::string where(std::string_view dataset) const { return name + ":" + printable(dataset); }

  ~Impl() {
    const h5::Session session;
    file = Id();
  }
};

TensorFile::Entry TensorFile::Impl::describe(const std::string& dataset_path) const {
  const std::string what = where(dataset_path) + " cannot be opened: damaged";
  const Id dataset = h5::open_dataset(file, dataset_path, what);
  const Id type(H5Dget_type(dataset), what);
  const Id space(H5Dget_space(dataset), what);
  Entry entry{dataset_path, {}, Number::none, h5::type_text(type)};
  if (H5Sget_simple_extent_type(space) == H5S_NULL) {
    entry.type = "empty";
    return entry;
  }
  entry.shape = h5::shape(space, what);
  const auto number = h5::numeric(type);
  if (!number) return entry;
  entry.number = number->kind == h5::Numeric::Kind::floating ? Number::floating : Number::integer;
  return entry;
}

TensorFile::TensorFile(const std::filesystem::path& file) : impl_(std::make_unique<Impl>()) {
  const h5::Session session;
  impl_->path = file;
  impl_->name = file.string();
  impl_->file = h5::open_file(impl_->name);
  for (const auto& node : h5::tree(impl_->file, impl_->name))
    if (node.kind == h5::Node::Kind::dataset) impl_->entries.push_back(impl_->describe(node.path));
  std::sort(impl_->entries.begin(), impl_->entries.end(),
            [](const Entry& a, const Entry& b) { return a.path < b.path; });
}

TensorFile::~TensorFile() = default;
TensorFile::TensorFile(TensorFile&&) noexcept = default;
TensorFile& TensorFile::operator=(TensorFile&&) noexcept = default;

const std::filesystem::path& TensorFile::file() const { return impl_->path; }
const std::vector<TensorFile::Entry>& TensorFile::entries() const { return impl_->entries; }

const TensorFile::Entry* TensorFile::find(std::string_view path) const {
  for (const Entry& e : impl_->entries)
    if (e.path == path) return &e;
  return nullptr;
}

std::vector<double> TensorFile::read(std::string_view path) const {
  const h5::Session session;
  const std::string where = impl_->where(path), what = where + " cannot be read: damaged";
  const Entry* entry = find(path);
  if (!entry) throw Error(where + " is missing");
  if (entry->number == Number::none) throw Error(where + " holds " + entry->type + "; expected numbers");
  const Id dataset = h5::open_dataset(impl_->file, entry->path, what);
  const Id type(H5Dget_type(dataset), what);
  const TensorSpec spec{entry->path, DType::f64, entry->shape, {}, {}};
  // deflate cannot shrink more than 1032-fold: a shape beyond that is false, and would only exhaust memory.
  if (spec.bytes() / 8 * H5Tget_size(type) / 1100 > H5Dget_storage_size(dataset) + 4096)
    throw Error(where + " claims the shape " + shape_text(entry->shape) + ", but the file holds " +
                byte_text(H5Dget_storage_size(dataset)) + " for it: damaged or never written");
  std::vector<double> values(static_cast<std::size_t>(spec.elements()));
  if (values.empty()) return values;
  if (H5Tget_class(type) == H5T_ENUM) {
    // HDF5 converts no enumeration to another type.
    if (H5Tget_size(type) != 1) throw Error(where + " holds " + entry->type + "; expected numbers or Booleans");
    std::vector<signed char> bytes(values.size());
    check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), what);
    std::copy(bytes.begin(), bytes.end(), values.begin());
    return values;
  }
  check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  if (entry->number == Number::integer)
    for (const double v : values)
      if (std::fabs(v) > 0x1p53) throw Error(where + " holds " + number(v) + "; expected integers within ±2^53");
  return values;
}

}  // namespace foxhunt::checkpoints
