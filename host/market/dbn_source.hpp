#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace foxhunt::market {

/// What a DBN file may ask for. A compressed file that goes beyond is refused, so that a small file cannot
/// make the program read for ever or fill memory.
struct DbnLimits {
  uint64_t metadata_bytes = 16u << 20;
  uint64_t decompressed_bytes = uint64_t{1} << 40;
  /// Decompressed over compressed bytes, looked at once more than `ratio_from` bytes came out. Market data
  /// compresses 4 to 40 times; zstd's limit is above 10,000.
  double ratio = 250;
  uint64_t ratio_from = 8u << 20;
  int window_log = 27;  ///< largest zstd window, as a power of two of bytes
};

/// The bytes of a file, decompressed on the way if it is zstd. Memory use is constant.
class DbnSource {
 public:
  /// Throws foxhunt::Error if the file cannot be opened or its first bytes show another format.
  DbnSource(const std::string& path, const DbnLimits& limits);
  ~DbnSource();
  DbnSource(const DbnSource&) = delete;
  DbnSource& operator=(const DbnSource&) = delete;

  /// Reads up to `n` bytes; fewer only where the data end. Throws foxhunt::Error on damage and beyond a
  /// limit.
  size_t read(void* to, size_t n);
  /// True if the data ended inside a zstd frame: the file is cut short.
  bool cut_in_frame() const;
  const std::string& path() const { return path_; }
  bool compressed() const;

 private:
  struct State;
  std::string path_;
  std::unique_ptr<State> state_;
};

}  // namespace foxhunt::market
