#include "input_file.hpp"

#include <algorithm>
#include <cmath>
#include <foxhunt/error.hpp>

#include "../common/text.hpp"
#include "../compute/tensors.hpp"

namespace foxhunt::probe {

namespace {

using Entry = checkpoints::TensorFile::Entry;
using Number = checkpoints::TensorFile::Number;

std::string found_text(const Entry& e) {
  std::vector<std::string> sizes;
  for (const uint64_t d : e.shape) sizes.push_back(text(d));
  return text(e.type, e.shape.empty() ? " scalar" : text(" [", join(sizes, ", "), "]"));
}

bool is_real(fh_dtype dtype) { return dtype == FH_F32 || dtype == FH_F64; }

bool same_shape(const Entry& e, const fh_shape& s) {
  if (e.shape.size() != s.rank) return false;
  for (uint32_t i = 0; i < s.rank; ++i)
    if (e.shape[i] != static_cast<uint64_t>(s.dim[i])) return false;
  return true;
}

constexpr const char* kHelp = "; `foxhunt probe --template` writes an example";

struct Range {
  double least, most;
};

Range of_type(fh_dtype dtype) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  switch (dtype) {
    case FH_U8: return {0, 255};
    case FH_I32: return {-0x1p31, 0x1p31 - 1};
    case FH_U32: return {0, 0x1p32 - 1};
    case FH_U64: return {0, 0x1p53};
    default: return {-inf, inf};
  }
}

}  // namespace

fh_shape InputFile::shape(const std::string& path, const std::vector<std::string>& axes, fh_dtype dtype) {
  const Entry* e = file_.find(path);
  const std::string expected = text("expected ", compute::name_of(dtype), " [", join(axes, ", "), "]");
  if (!e) throw Error(text(file_.file(), ":", path, " is missing; ", expected, kHelp));
  fh_shape s{static_cast<uint32_t>(axes.size()), 0, {}};
  bool fits = e->number != Number::none && e->shape.size() == axes.size();
  for (size_t i = 0; fits && i < axes.size(); ++i) {
    fits = e->shape[i] > 0 && e->shape[i] < (uint64_t{1} << 31);
    s.dim[i] = static_cast<int64_t>(e->shape[i]);
  }
  if (!fits)
    throw Error(text(file_.file(), ":", path, " is ", found_text(*e), "; ", expected, ", every dimension at least 1"));
  return s;
}

void InputFile::read_one(const std::string& path, Values& v) {
  asked_.insert(path);
  const Entry* e = file_.find(path);
  const std::string expected = text("expected ", type_text(v));
  if (!e) return fault(path, text("is missing, ", expected));
  // One number is one number, whether it was written as a scalar or as a list of length 1.
  const bool one = v.shape.rank == 0 && e->shape.size() == 1 && e->shape[0] == 1;
  const Number kind = is_real(v.dtype) ? Number::floating : Number::integer;
  if (e->number != kind || !(one || same_shape(*e, v.shape)))
    return fault(path, text("is ", found_text(*e), ", ", expected));
  v.data = file_.read(path);
  const Range range = of_type(v.dtype);
  const double least = std::max(v.least, range.least), most = std::min(v.most, range.most);
  for (size_t i = 0; i < v.data.size(); ++i) {
    const double x = v.data[i];
    if (x < least || x > most)
      return fault(path, text("holds ", x, " at element ", i, ", expected ", least, " to ", most));
    if (v.dtype == FH_F32 && std::isfinite(x) && !std::isfinite(static_cast<float>(x)))
      return fault(path, text("holds ", x, " at element ", i, ", which is beyond f32"));
  }
}

void InputFile::read(Contents& wanted) {
  for (auto& [path, values] : wanted) read_one(path, values);
}

void InputFile::read_if_present(Contents& wanted) {
  std::erase_if(wanted, [&](const auto& entry) { return !has(entry.first); });
  read(wanted);
}

void InputFile::check(const std::string& hint) const {
  if (faults_.empty()) return;
  constexpr size_t most = 12;
  std::string all = text(file_.file(), " does not fit: ");
  for (size_t i = 0; i < std::min(most, faults_.size()); ++i) all += text(i ? "; " : "", faults_[i]);
  if (faults_.size() > most) all += text("; and ", faults_.size() - most, " more");
  throw Error(all + hint + kHelp);
}

std::vector<std::string> InputFile::unread() const {
  std::vector<std::string> result;
  for (const Entry& e : file_.entries())
    if (!asked_.contains(e.path)) result.push_back(shown(e.path));
  return result;
}

}  // namespace foxhunt::probe
