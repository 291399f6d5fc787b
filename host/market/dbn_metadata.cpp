#include <charconv>
#include <cstring>
#include <foxhunt/error.hpp>

#include "market/dbn_reader.hpp"

namespace foxhunt::market {
namespace {

constexpr size_t kFixedBytes = 100;  // up to and without the length of the schema definition

/// Bounded reads from the metadata block; every overrun is one clear error.
class Cursor {
 public:
  Cursor(const std::vector<uint8_t>& block, const std::string& path) : block_(block), path_(path) {}

  template <class T>
  T take() {
    need(sizeof(T));
    T value;
    std::memcpy(&value, block_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string text(size_t width) {
    need(width);
    const char* p = reinterpret_cast<const char*>(block_.data() + at_);
    at_ += width;
    return {p, strnlen(p, width)};
  }
  void skip(size_t n) {
    need(n);
    at_ += n;
  }
  /// A count of items of at least `bytes` each, so that a wild count is refused before anything is reserved.
  uint32_t count(size_t bytes) {
    const auto n = take<uint32_t>();
    if (n > (block_.size() - at_) / bytes) fail();
    return n;
  }

 private:
  void need(size_t n) const {
    if (n > block_.size() - at_) fail();
  }
  [[noreturn]] void fail() const {
    throw Error("'" + path_ + "' has damaged DBN metadata: a list runs beyond the " +
                std::to_string(block_.size()) + " bytes that the head announces; download the file again");
  }
  const std::vector<uint8_t>& block_;
  const std::string& path_;
  size_t at_ = 0;
};

std::optional<uint32_t> number(const std::string& s) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return value;
}

std::vector<std::string> texts(Cursor& c, size_t width) {
  std::vector<std::string> list(c.count(width));
  for (auto& s : list) s = c.text(width);
  return list;
}

/// Either side of a mapping may be the instrument number, depending on how the file was asked for.
void add_name(DbnMetadata& m, const std::string& in, const std::string& out) {
  const auto known = [&m](uint32_t id, const std::string& name) {
    const auto [first, last] = m.names.equal_range(id);
    for (auto i = first; i != last; ++i)
      if (i->second == name) return true;
    return false;
  };
  if (const auto id = number(out)) {
    if (!known(*id, in)) m.names.emplace(*id, in);
  } else if (const auto other = number(in)) {
    if (!known(*other, out)) m.names.emplace(*other, out);
  }
}

}  // namespace

std::string schema_name(uint16_t schema) {
  static constexpr const char* kNames[] = {"mbo",        "mbp-1",    "mbp-10",   "tbbo",     "trades",
                                           "ohlcv-1s",   "ohlcv-1m", "ohlcv-1h", "ohlcv-1d", "definition",
                                           "statistics", "status",   "imbalance"};
  if (schema == kSchemaMixed) return "mixed";
  return schema < std::size(kNames) ? kNames[schema] : "schema number " + std::to_string(schema);
}

DbnMetadata parse_metadata(int version, const std::vector<uint8_t>& block, const std::string& path) {
  if (block.size() < kFixedBytes + 4)
    throw Error("'" + path + "' has DBN metadata of " + std::to_string(block.size()) + " bytes, at least " +
                std::to_string(kFixedBytes + 4) + " expected; the file is damaged");
  Cursor c(block, path);
  DbnMetadata m;
  m.version = version;
  m.dataset = c.text(16);
  m.schema = c.take<uint16_t>();
  m.start = c.take<uint64_t>();
  m.end = c.take<uint64_t>();
  m.limit = c.take<uint64_t>();
  if (version == 1)
    if (const auto n = c.take<uint64_t>(); n != UINT64_MAX) m.record_count = n;
  m.stype_in = c.take<uint8_t>();
  m.stype_out = c.take<uint8_t>();
  m.ts_out = c.take<uint8_t>() != 0;
  size_t width = 22;
  if (version >= 2) {
    width = c.take<uint16_t>();
    if (width == 0 || width > 1024)
      throw Error("'" + path + "' has DBN metadata with symbols of " + std::to_string(width) +
                  " bytes; the file is damaged");
  }
  c.skip(version == 1 ? 47 : 53);
  if (const auto length = c.take<uint32_t>(); length != 0)
    throw Error("'" + path + "' carries a schema definition of " + std::to_string(length) +
                " bytes, which no DBN version up to 3 has; the file is damaged");
  m.symbols = texts(c, width);
  m.partial = texts(c, width);
  m.not_found = texts(c, width);
  for (uint32_t i = 0, n = c.count(width + 4); i < n; ++i) {
    const std::string in = c.text(width);
    for (uint32_t k = 0, intervals = c.count(width + 8); k < intervals; ++k) {
      c.skip(8);  // first and last day: the numbers are unique within a file's day, and rows carry their own
                  // times
      add_name(m, in, c.text(width));
    }
  }
  return m;
}

}  // namespace foxhunt::market
