#include "market/dbn_reader.hpp"

#include <algorithm>
#include <cstdio>
#include <foxhunt/error.hpp>

#include "market/text.hpp"

namespace foxhunt::market {
namespace {

constexpr size_t kHeaderBytes = 16;
constexpr size_t kLongestRecord = 255 * 4;
constexpr size_t kBufferBytes = size_t{1} << 18;

/// Bytes that a record of this type needs for its fields; 0 for types that are not read.
size_t record_bytes(uint8_t type, int version) {
  switch (type) {
    case kTypeTrades:
      return 48;
    case kTypeMbp1:
      return 80;
    case kTypeMbp10:
      return 368;
    case kTypeMbo:
      return 56;
    case kTypeStatus:
      return 32;
    case kTypeDefinition:
      return version == 1 ? 360 : version == 2 ? 400 : 520;
    default:
      return 0;
  }
}

/// Whether the bytes could be the header of a record, that is, whether the file is a DBN fragment.
bool looks_like_record(const uint8_t* p) {
  const size_t bytes = size_t{p[0]} * 4;
  const size_t needed = record_bytes(p[1], 1);
  return needed != 0 && (bytes == needed || bytes == needed + 8);
}

}  // namespace

std::string DbnRecord::text(size_t offset, size_t width) const {
  const char* p = reinterpret_cast<const char*>(p_ + offset);
  return {p, strnlen(p, width)};
}

DbnReader::DbnReader(const std::string& path, const DbnLimits& limits, bool allow_truncated)
    : source_(path, limits), allow_truncated_(allow_truncated), buffer_(kBufferBytes) {
  uint8_t prelude[8] = {};
  const size_t got = source_.read(prelude, sizeof prelude);
  const std::string name = "'" + path + "'";
  if (std::memcmp(prelude, "DBN", std::min<size_t>(got, 3)) != 0 || got == 0) {
    if (got == sizeof prelude && looks_like_record(prelude))
      throw Error(name +
                  " is a DBN fragment: records without metadata, so neither version nor symbols are known; "
                  "import the file that it was cut from");
    throw Error(name + " is not a DBN file: it should begin with \"DBN\"" +
                (source_.compressed() ? " after decompression" : ", or be one compressed with zstd"));
  }
  if (got < sizeof prelude)
    throw Error(name + " is cut short inside the head of the DBN metadata; download it again");
  const int version = prelude[3];
  if (version < 1 || version > 3)
    throw Error(name + " is DBN version " + std::to_string(version) + "; versions 1 to 3 can be read");
  uint32_t length = 0;
  std::memcpy(&length, prelude + 4, sizeof length);
  if (length > limits.metadata_bytes)
    throw Error(name + " announces " + grouped(length) + " bytes of metadata; the limit is " +
                grouped(static_cast<int64_t>(limits.metadata_bytes)));
  std::vector<uint8_t> block(length);
  if (source_.read(block.data(), block.size()) < block.size())
    throw Error(name + " is cut short inside the DBN metadata; download it again");
  metadata_ = parse_metadata(version, block, path);
  offset_ = next_offset_ = sizeof prelude + block.size();
}

bool DbnReader::fill(size_t n) {
  if (end_ - begin_ >= n) return true;
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  end_ += source_.read(buffer_.data() + end_, buffer_.size() - end_);
  return end_ >= n;
}

std::string DbnReader::where() const {
  return " (record " + grouped(records_) + ", byte " + grouped(static_cast<int64_t>(offset_)) + ")";
}

std::optional<DbnRecord> DbnReader::end_of_data() {
  const size_t left = end_ - begin_;
  const bool missing = metadata_.record_count && static_cast<uint64_t>(records_) < *metadata_.record_count;
  if (left == 0 && !source_.cut_in_frame() && !missing) return std::nullopt;
  if (!allow_truncated_)
    throw Error("'" + path() + "' is cut short after " + grouped(records_) + " whole records" +
                (missing && left == 0
                     ? " of the " + grouped(static_cast<int64_t>(*metadata_.record_count)) + " announced"
                     : "") +
                "; download it again, or keep those with --allow-truncated");
  truncated_ = true;
  cut_bytes_ += static_cast<int64_t>(left);
  begin_ = end_;
  return std::nullopt;
}

std::optional<DbnRecord> DbnReader::next() {
  if (!fill(kHeaderBytes)) return end_of_data();
  offset_ = next_offset_;
  const size_t bytes = size_t{buffer_[begin_]} * 4;
  const size_t needed = std::max(kHeaderBytes, record_bytes(buffer_[begin_ + 1], metadata_.version));
  if (bytes < needed)
    throw Error("'" + path() + "' is damaged: a record of type " + std::to_string(buffer_[begin_ + 1]) +
                " has " + std::to_string(bytes) + " bytes, at least " + std::to_string(needed) + " expected" +
                where());
  static_assert(kLongestRecord < kBufferBytes);
  if (!fill(bytes)) return end_of_data();
  const DbnRecord record(buffer_.data() + begin_, bytes);
  begin_ += bytes;
  next_offset_ += bytes;
  ++records_;
  return record;
}

}  // namespace foxhunt::market
