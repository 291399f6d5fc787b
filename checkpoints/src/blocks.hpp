#pragma once
#include <cstdint>
#include <vector>

#include "h5.hpp"

namespace foxhunt::checkpoints::h5 {

/// Walks a dataset in row-major order in blocks of bounded size, so that a dataset of any size can be read,
/// and a false size in a damaged file cannot exhaust memory.
///
///   for (Blocks blocks(dataset, 8, name); blocks.next();)
///     H5Dread(dataset, type, blocks.memory(), blocks.file(), H5P_DEFAULT, buffer);   // blocks.count()
///     elements
class Blocks {
 public:
  Blocks(hid_t dataset, std::size_t element_bytes, const std::string& name);
  /// Selects the next block; false after the last one.
  bool next();
  std::uint64_t offset() const { return offset_; }  ///< row-major index of the block's first element
  std::uint64_t count() const { return count_; }
  std::uint64_t largest() const { return largest_; }  ///< upper bound of count()
  hid_t file() const { return file_; }
  hid_t memory() const { return memory_; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  std::uint64_t elements() const { return elements_; }

 private:
  std::string what_;
  Id file_, memory_;
  std::vector<std::uint64_t> shape_;
  std::uint64_t elements_ = 1, offset_ = 0, count_ = 0, largest_ = 1;
  std::size_t axis_ = 0;  // blocks take `step_` indices of this axis and everything of the axes after it
  std::uint64_t step_ = 1, inner_ = 1;
};

/// Row-major index of `offset` in `shape`.
std::vector<std::uint64_t> index_of(std::uint64_t offset, const std::vector<std::uint64_t>& shape);

/// Opens a dataset with room in its cache for a row of chunks of most files.
Id open_dataset(hid_t file, const std::string& path, const std::string& what);

}  // namespace foxhunt::checkpoints::h5
