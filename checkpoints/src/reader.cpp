#include <foxhunt/checkpoints/reader.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "blocks.hpp"
#include "h5.hpp"
#include "h5_attributes.hpp"
#include "text.hpp"
#include "tree.hpp"

namespace foxhunt::checkpoints {

using h5::check;
using h5::Id;

struct Reader::Impl {
  std::filesystem::path path;
  std::string name;
  Id file;
  Attributes meta;
  std::vector<TensorSpec> tensors;
  std::map<std::string, std::size_t, std::less<>> index;

  void read_meta();
  void read_tensors();
  TensorSpec describe(const std::string& dataset_path) const;
  void read_values(const TensorSpec& spec, std::span<std::byte> out) const;
  void verify_values(const TensorSpec& spec) const;

  ~Impl() {
    const h5::Session session;
    file = Id();
  }
};

void Reader::Impl::read_meta() {
  const std::string other = name + " is an HDF5 file, but no foxhunt checkpoint: ";
  const htri_t exists = H5Lexists(file, "meta", H5P_DEFAULT);
  if (exists < 0) h5::fail(name + " cannot be read: damaged");
  if (exists == 0) throw Error(other + "it has no /meta");
  const Id meta_object(H5Oopen(file, "meta", H5P_DEFAULT), name + ": /meta cannot be opened: damaged");
  for (auto& attribute : h5::read_attributes(meta_object, name + ":/meta")) {
    if (attribute.value) meta.emplace(attribute.name, std::move(*attribute.value));
  }
  const auto schema = meta.find("schema");
  const auto* text = schema == meta.end() ? nullptr : std::get_if<std::string>(&schema->second);
  if (!text)
    throw Error(other + "/meta has no attribute \"schema\" (expected \"" + std::string(schema_name) + "\")");
  if (*text != schema_name) {
    throw Error(other + "its schema is " + in_quotes(*text) + ", expected \"" + std::string(schema_name) +
                "\"");
  }
  const auto version = meta.find("schema_version");
  const auto* found = version == meta.end() ? nullptr : std::get_if<std::int64_t>(&version->second);
  if (!found || *found < 1) throw Error(name + ": /meta@schema_version is missing or no positive integer");
  if (*found > schema_version) {
    throw Error(name + " has checkpoint schema version " + number(*found) +
                "; this program reads versions up to " + number(schema_version) +
                ". Use the program that wrote it, or a newer one");
  }
  meta.erase("schema");
  meta.erase("schema_version");
}

TensorSpec Reader::Impl::describe(const std::string& dataset_path) const {
  const std::string where = name + ":" + dataset_path;
  const std::string what = where + " cannot be opened: damaged";
  const Id dataset = h5::open_dataset(file, dataset_path, what);
  const Id type(H5Dget_type(dataset), what);
  const Id space(H5Dget_space(dataset), what);
  TensorSpec spec;
  spec.path = dataset_path;
  const auto dtype = h5::dtype(type);
  if (!dtype)
    throw Error(where + " holds " + h5::type_text(type) + "; expected f32, f64, i32, u32, i64, u64 or u8");
  spec.dtype = *dtype;
  if (H5Sget_simple_extent_type(space) == H5S_NULL) throw Error(where + " has no shape; expected a tensor");
  spec.shape = h5::shape(space, what);
  // deflate cannot shrink more than 1032-fold: a shape beyond that is false, and would only exhaust memory.
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  if (spec.bytes() / 1100 > stored + 4096) {
    throw Error(where + " claims " + spec.type_text() + ", but the file holds " + byte_text(stored) +
                " for it: damaged or never written");
  }
  if (const auto axes = h5::read_attribute(dataset, where, "axes"); axes && axes->value) {
    if (const auto* names = std::get_if<std::vector<std::string>>(&*axes->value)) spec.axes = *names;
  }
  if (const auto unit = h5::read_attribute(dataset, where, "unit"); unit && unit->value) {
    if (const auto* text = std::get_if<std::string>(&*unit->value)) spec.unit = *text;
  }
  return spec;
}

void Reader::Impl::read_tensors() {
  for (const auto& node : h5::tree(file, name)) {
    if (node.kind == h5::Node::Kind::dataset) tensors.push_back(describe(node.path));
    if (node.kind == h5::Node::Kind::link) {
      throw Error(name + ":" + node.path + " is a link to " + node.target +
                  "; a checkpoint holds datasets only");
    }
  }
  std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  for (std::size_t i = 0; i < tensors.size(); ++i) index.emplace(tensors[i].path, i);
}

void Reader::Impl::read_values(const TensorSpec& spec, std::span<std::byte> out) const {
  if (out.empty()) return;
  const std::string what = name + ":" + spec.path + " cannot be read: damaged";
  const Id dataset = h5::open_dataset(file, spec.path, what);
  check(H5Dread(dataset, h5::memory_type(spec.dtype), H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()), what);
}

void Reader::Impl::verify_values(const TensorSpec& spec) const {
  const std::string what = name + ":" + spec.path + " cannot be read: damaged";
  const Id dataset = h5::open_dataset(file, spec.path, what);
  std::vector<std::byte> buffer;
  for (h5::Blocks blocks(dataset, size_of(spec.dtype), name + ":" + spec.path); blocks.next();) {
    buffer.resize(blocks.largest() * size_of(spec.dtype));
    check(H5Dread(dataset, h5::memory_type(spec.dtype), blocks.memory(), blocks.file(), H5P_DEFAULT,
                  buffer.data()),
          what);
  }
}

Reader::Reader(const std::filesystem::path& file, Verify verify) : impl_(std::make_unique<Impl>()) {
  const h5::Session session;
  impl_->path = file;
  impl_->name = file.string();
  impl_->file = h5::open_file(impl_->name);
  impl_->read_meta();
  impl_->read_tensors();
  if (verify == Verify::all) {
    for (const auto& spec : impl_->tensors) impl_->verify_values(spec);
  }
}

Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const std::filesystem::path& Reader::file() const { return impl_->path; }
const Attributes& Reader::meta() const { return impl_->meta; }
const std::vector<TensorSpec>& Reader::tensors() const { return impl_->tensors; }

const TensorSpec* Reader::find(std::string_view path) const {
  const auto found = impl_->index.find(path);
  return found == impl_->index.end() ? nullptr : &impl_->tensors[found->second];
}

namespace {

template <class T>
const T& attribute(const Reader& reader, std::string_view name, const char* kind) {
  const auto found = reader.meta().find(name);
  const std::string where = reader.file().string() + ":/meta@" + std::string(name);
  if (found == reader.meta().end()) throw Error(where + " is missing; expected " + kind);
  if (const T* value = std::get_if<T>(&found->second)) return *value;
  throw Error(where + " is of another type; expected " + kind);
}

}  // namespace

const std::string& Reader::text(std::string_view name) const {
  return attribute<std::string>(*this, name, "a text");
}
std::int64_t Reader::integer(std::string_view name) const {
  return attribute<std::int64_t>(*this, name, "an integer");
}
double Reader::real(std::string_view name) const { return attribute<double>(*this, name, "a real number"); }
const std::vector<std::string>& Reader::list(std::string_view name) const {
  return attribute<std::vector<std::string>>(*this, name, "a list of texts");
}

const TensorSpec& Reader::require(std::string_view path, DType type) const {
  const TensorSpec* spec = find(path);
  const std::string where = impl_->name + ":" + std::string(path);
  if (!spec) throw Error(where + " is missing");
  if (spec->dtype != type) {
    throw Error(where + " is " + spec->type_text() + "; expected " + std::string(name_of(type)));
  }
  return *spec;
}

void Reader::read_into(const TensorSpec& spec, std::span<std::byte> out) const {
  const h5::Session session;
  impl_->read_values(spec, out);
}

Match Reader::match(std::span<const TensorView> wanted) const {
  Match result;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const TensorSpec& spec = wanted[i].spec;
    if (!names.insert(spec.path).second) throw Error(spec.path + " is asked for twice");
    if (wanted[i].data.size() != spec.bytes()) {
      throw Error(spec.path + ": " + spec.type_text() + " needs " + number(spec.bytes()) +
                  " bytes, but room for " + number(std::uint64_t{wanted[i].data.size()}) + " was given");
    }
    const TensorSpec* found = find(spec.path);
    if (!found) {
      result.missing.push_back(spec.path);
    } else if (found->dtype != spec.dtype || found->shape != spec.shape) {
      result.different.push_back({spec, *found});
    } else {
      result.matched.push_back(i);
    }
  }
  for (const auto& spec : tensors()) {
    if (!names.contains(spec.path)) result.unused.push_back(spec.path);
  }
  return result;
}

// Everything is read, and so checksummed, before the first byte of `wanted` changes.
void Reader::copy(std::span<const TensorView> wanted, std::span<const std::size_t> chosen) const {
  std::vector<std::vector<std::byte>> staged;
  for (const std::size_t i : chosen) {
    staged.emplace_back(wanted[i].data.size());
    read_into(wanted[i].spec, staged.back());
  }
  for (std::size_t n = 0; n < chosen.size(); ++n) {
    if (!staged[n].empty()) std::memcpy(wanted[chosen[n]].data.data(), staged[n].data(), staged[n].size());
  }
}

void Reader::load(std::span<const TensorView> wanted) const {
  const Match result = match(wanted);
  std::vector<std::string> faults;
  for (const auto& path : result.missing) faults.push_back(path + " is missing");
  for (const auto& [expected, found] : result.different) {
    faults.push_back(expected.path + ": expected " + expected.type_text() + ", found " + found.type_text());
  }
  if (!faults.empty()) {
    const std::size_t shown = std::min<std::size_t>(faults.size(), 5);
    std::string text = impl_->name + " does not fit, nothing was loaded: " +
                       join({faults.begin(), faults.begin() + static_cast<std::ptrdiff_t>(shown)}, "; ");
    if (shown < faults.size()) text += "; and " + number(std::uint64_t{faults.size() - shown}) + " more";
    throw Error(text);
  }
  copy(wanted, result.matched);
}

Match Reader::load_matching(std::span<const TensorView> wanted) const {
  Match result = match(wanted);
  copy(wanted, result.matched);
  return result;
}

std::string to_text(const Match& match) {
  const auto count = [](const auto& list) { return number(std::uint64_t{list.size()}); };
  std::string out = count(match.matched) + " tensors taken over, " + count(match.missing) +
                    " not in the file, " + count(match.different) + " of another type or shape, " +
                    count(match.unused) + " not wanted\n";
  for (const auto& path : match.missing) out += "  not in the file: " + path + "\n";
  for (const auto& [wanted, found] : match.different) {
    out += "  does not fit: " + wanted.path + ": expected " + wanted.type_text() + ", found " +
           found.type_text() + "\n";
  }
  for (const auto& path : match.unused) out += "  not wanted: " + path + "\n";
  return out;
}

}  // namespace foxhunt::checkpoints
