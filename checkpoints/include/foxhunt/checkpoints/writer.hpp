#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include <foxhunt/checkpoints/tensor.hpp>

namespace foxhunt::checkpoints {

/// The bytes of an HDF5 file in memory.
class Image {
 public:
  struct Free {
    void operator()(std::byte* data) const;
  };
  Image(std::unique_ptr<std::byte[], Free> data, std::size_t size) : data_(std::move(data)), size_(size) {}
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t size_;
};

/// The checkpoint as the bytes of an HDF5 file. The same content gives the same bytes, in whatever order the
/// tensors are listed: nothing of time, place or history is in them.
/// Error if a path is malformed or used twice, if the data's length does not fit the shape, or if an
/// attribute uses one of the schema's own names (`schema`, `schema_version`).
Image build_image(const Checkpoint& content);

/// Writes one checkpoint so that `file` is, at any instant, either what it was before or the whole new one:
/// temporary name in the same folder, sync, rename, sync of the folder. Error if it cannot be written; then
/// `file` is unchanged and no partial file is left.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& content);

}  // namespace foxhunt::checkpoints
