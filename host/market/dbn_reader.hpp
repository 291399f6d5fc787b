#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "market/dbn_source.hpp"

namespace foxhunt::market {

/// Databento Binary Encoding, versions 1 to 3 (little-endian). Layouts after Databento's published
/// specification.
enum DbnSchema : uint16_t {
  kSchemaMbo = 0,
  kSchemaMbp1 = 1,
  kSchemaMbp10 = 2,
  kSchemaTbbo = 3,
  kSchemaTrades = 4,
  kSchemaDefinition = 9,
  kSchemaStatus = 11,
  kSchemaMixed = 0xFFFF
};
enum DbnType : uint8_t {
  kTypeTrades = 0x00,
  kTypeMbp1 = 0x01,
  kTypeMbp10 = 0x0A,
  kTypeStatus = 0x12,
  kTypeDefinition = 0x13,
  kTypeMbo = 0xA0
};
enum DbnFlag : uint8_t {
  kFlagLast = 128,
  kFlagTopOfBook = 64,
  kFlagSnapshot = 32,
  kFlagBadReceipt = 8,
  kFlagDoubtfulBook = 4
};

inline constexpr int64_t kUndefinedPrice = INT64_MAX;
inline constexpr uint64_t kUndefinedTime = UINT64_MAX;

std::string schema_name(uint16_t schema);

struct DbnMetadata {
  int version = 0;
  std::string dataset;
  uint16_t schema = 0;
  uint64_t start = 0, end = 0, limit = 0;
  std::optional<uint64_t> record_count;  ///< version 1 only, and seldom there
  uint8_t stype_in = 0, stype_out = 0;
  bool ts_out = false;
  std::vector<std::string> symbols, partial, not_found;
  std::multimap<uint32_t, std::string> names;  ///< instrument number -> symbol, from the mappings
};

/// A view of one record, valid until the next one is read.
class DbnRecord {
 public:
  DbnRecord(const uint8_t* bytes, size_t size) : p_(bytes), size_(size) {}
  uint8_t type() const { return p_[1]; }
  uint32_t instrument() const { return at<uint32_t>(4); }
  uint64_t ts_event() const { return at<uint64_t>(8); }
  const uint8_t* data() const { return p_; }
  size_t size() const { return size_; }
  /// The little-endian integer at byte `offset`; the reader has checked that it lies inside the record.
  template <class T>
  T at(size_t offset) const {
    static_assert(std::endian::native == std::endian::little, "records are read in place");
    T value;
    std::memcpy(&value, p_ + offset, sizeof value);
    return value;
  }
  /// A zero-terminated string in a field of `width` bytes.
  std::string text(size_t offset, size_t width) const;

 private:
  const uint8_t* p_;
  size_t size_;
};

/// Reads a DBN file record by record in constant memory.
class DbnReader {
 public:
  /// Reads the metadata. Throws foxhunt::Error for anything that is not a whole DBN head.
  /// With `allow_truncated` a file that ends inside a record yields the whole records before it.
  explicit DbnReader(const std::string& path, const DbnLimits& limits = {}, bool allow_truncated = false);

  const DbnMetadata& metadata() const { return metadata_; }
  const std::string& path() const { return source_.path(); }
  /// The next record, or nothing at the end. Records of known types are at least as long as their fields.
  std::optional<DbnRecord> next();
  int64_t records() const { return records_; }
  /// Bytes of an incomplete last record that were dropped (allow_truncated), and whether anything was cut.
  int64_t cut_bytes() const { return cut_bytes_; }
  bool truncated() const { return truncated_; }
  /// " (record 12, byte 3456 of the decompressed data)", for error texts.
  std::string where() const;

 private:
  bool fill(size_t n);  // n bytes at buffer_[begin_]; false at the end of the data
  std::optional<DbnRecord> end_of_data();

  DbnSource source_;
  bool allow_truncated_;
  DbnMetadata metadata_;
  std::vector<uint8_t> buffer_;
  size_t begin_ = 0, end_ = 0;
  uint64_t offset_ = 0, next_offset_ = 0;
  int64_t records_ = 0, cut_bytes_ = 0;
  bool truncated_ = false;
};

/// Parses the metadata block that follows the 8 bytes of the prelude. Throws foxhunt::Error, naming `path`.
DbnMetadata parse_metadata(int version, const std::vector<uint8_t>& block, const std::string& path);

/// Metadata and record counts of any DBN file, for a person. Reads the whole file.
std::string describe_dbn(const std::string& path, const DbnLimits& limits = {});

}  // namespace foxhunt::market
