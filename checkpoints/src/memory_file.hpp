#pragma once
#include <foxhunt/checkpoints/writer.hpp>

#include "h5.hpp"

namespace foxhunt::checkpoints {

/// A new HDF5 file that lives in memory alone, in version 1.10's format, in which every structure of the file
/// carries a checksum. HDF5 finishes a file when it closes it (H5Fget_file_image leaves a superblock whose
/// checksum is wrong in this format), so the bytes are taken over at that moment.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  operator hid_t() const { return file_; }
  /// Closes the file.
  Image finish();

 private:
  struct Buffer {
    void* data = nullptr;
    std::size_t size = 0;
  };
  static void* allocate(std::size_t size, H5FD_file_image_op_t, void* buffer);
  static void* copy(void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*);
  static void* resize(void* data, std::size_t size, H5FD_file_image_op_t, void* buffer);
  static herr_t release(void* data, H5FD_file_image_op_t operation, void* buffer);

  Buffer buffer_;  // outlives file_, whose callbacks use it
  h5::Id file_;
};

}  // namespace foxhunt::checkpoints
