#include "memory_file.hpp"

#include <cstdlib>
#include <cstring>

namespace foxhunt::checkpoints {

namespace {

constexpr std::size_t growth = 4u << 20;

// Superblock version 3 of the HDF5 file format: the end-of-file address is 8 bytes at offset 28.
std::size_t end_of_file(const std::byte* data, std::size_t size) {
  constexpr std::size_t version_offset = 8, eof_offset = 28, superblock_bytes = 48;
  std::uint64_t eof = 0;
  if (size >= superblock_bytes && data[version_offset] == std::byte{3}) {
    for (std::size_t i = 8; i-- > 0;) eof = eof << 8 | std::to_integer<std::uint64_t>(data[eof_offset + i]);
  }
  if (eof < superblock_bytes || eof > size)
    throw Error("cannot finish the checkpoint: HDF5 left no whole file image");
  return eof;
}

}  // namespace

void Image::Free::operator()(std::byte* data) const { std::free(data); }

MemoryFile::MemoryFile() {
  const std::string what = "cannot prepare the checkpoint";
  const h5::Id access(H5Pcreate(H5P_FILE_ACCESS), what);
  h5::check(H5Pset_fapl_core(access, growth, false), what);
  h5::check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), what);
  h5::check(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), what);
  // One buffer for the one file, however often HDF5 copies its property list.
  H5FD_file_image_callbacks_t callbacks{
      allocate, copy, resize, release, [](void* buffer) { return buffer; }, [](void*) -> herr_t { return 0; },
      &buffer_};
  h5::check(H5Pset_file_image_callbacks(access, &callbacks), what);
  const h5::Id creation(H5Pcreate(H5P_FILE_CREATE), what);
  h5::check(H5Pset_obj_track_times(creation, false), what);
  file_ = h5::Id(H5Fcreate("checkpoint", H5F_ACC_TRUNC, creation, access), what);
}

MemoryFile::~MemoryFile() {
  file_ = h5::Id();
  std::free(buffer_.data);
}

Image MemoryFile::finish() {
  h5::check(H5Fflush(file_, H5F_SCOPE_LOCAL), "cannot finish the checkpoint");
  h5::check(file_.close(), "cannot finish the checkpoint");
  std::unique_ptr<std::byte[], Image::Free> data(
      static_cast<std::byte*>(std::exchange(buffer_.data, nullptr)));
  const std::size_t size = end_of_file(data.get(), buffer_.size);
  return Image(std::move(data), size);
}

void* MemoryFile::allocate(std::size_t size, H5FD_file_image_op_t operation, void* buffer) {
  return resize(nullptr, size, operation, buffer);
}

void* MemoryFile::copy(void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) {
  return std::memcpy(to, from, size);
}

// New bytes are zero: HDF5 leaves gaps, and what was in memory before must not become part of the file.
void* MemoryFile::resize(void* data, std::size_t size, H5FD_file_image_op_t, void* user) {
  auto& buffer = *static_cast<Buffer*>(user);
  void* grown = std::realloc(data, size);
  if (!grown) return nullptr;
  if (size > buffer.size) std::memset(static_cast<char*>(grown) + buffer.size, 0, size - buffer.size);
  buffer = {grown, size};
  return grown;
}

// On closing, the finished image stays with us.
herr_t MemoryFile::release(void* data, H5FD_file_image_op_t, void* user) {
  auto& buffer = *static_cast<Buffer*>(user);
  if (data != buffer.data) std::free(data);
  return 0;
}

}  // namespace foxhunt::checkpoints
