#include "blocks.hpp"

#include <algorithm>

namespace foxhunt::checkpoints::h5 {

namespace {

constexpr std::uint64_t block_bytes = 8u << 20;

}  // namespace

Blocks::Blocks(hid_t dataset, std::size_t element_bytes, const std::string& name)
    : what_(name + " cannot be read: damaged"), file_(H5Dget_space(dataset), what_) {
  if (H5Sget_simple_extent_type(file_) == H5S_NULL) {
    elements_ = 0;
    return;
  }
  shape_ = h5::shape(file_, what_);
  for (const auto size : shape_) {
    if (__builtin_mul_overflow(elements_, size, &elements_)) throw Error(what_ + ": impossible shape");
  }
  if (elements_ == 0) return;
  const std::uint64_t room =
      std::max<std::uint64_t>(block_bytes / std::max<std::size_t>(element_bytes, 1), 1);
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    axis_ = axis;
    step_ = std::max<std::uint64_t>(std::min(shape_[axis], room / inner_), 1);
    if (axis == 0 || step_ < shape_[axis]) break;
    inner_ *= shape_[axis];
  }
  // Whole chunks, where chunks are smaller than a block: each is then decoded once.
  const Id creation(H5Dget_create_plist(dataset), what_);
  if (!shape_.empty() && H5Pget_layout(creation) == H5D_CHUNKED) {
    std::vector<hsize_t> chunk(shape_.size(), 1);
    check(H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data()), what_);
    if (chunk[axis_] < step_) step_ -= step_ % chunk[axis_];
  }
  largest_ = step_ * inner_;
}

bool Blocks::next() {
  offset_ += count_;
  if (offset_ >= elements_) return false;
  if (shape_.empty()) {
    count_ = 1;
    memory_ = Id(H5Screate(H5S_SCALAR), what_);
    return true;
  }
  const auto index = index_of(offset_, shape_);
  std::vector<hsize_t> start(index.begin(), index.end()), extent(shape_.size(), 1);
  extent[axis_] = std::min(step_, shape_[axis_] - index[axis_]);
  for (std::size_t axis = axis_ + 1; axis < shape_.size(); ++axis) extent[axis] = shape_[axis];
  check(H5Sselect_hyperslab(file_, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr), what_);
  count_ = extent[axis_] * inner_;
  const hsize_t size = count_;
  memory_ = Id(H5Screate_simple(1, &size, nullptr), what_);
  return true;
}

std::vector<std::uint64_t> index_of(std::uint64_t offset, const std::vector<std::uint64_t>& shape) {
  std::vector<std::uint64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = offset % shape[axis];
    offset /= shape[axis];
  }
  return index;
}

Id open_dataset(hid_t file, const std::string& path, const std::string& what) {
  const Id access(H5Pcreate(H5P_DATASET_ACCESS), what);
  check(H5Pset_chunk_cache(access, 1031, 32u << 20, 1.0), what);
  return {H5Dopen2(file, path.c_str(), access), what};
}

}  // namespace foxhunt::checkpoints::h5
