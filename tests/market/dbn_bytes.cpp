#include "dbn_bytes.hpp"

#include <unistd.h>
#include <zstd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace foxhunt::market::test {
namespace {

template <class T>
void put(Bytes& b, T value) {
  b.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
void set(Bytes& b, size_t at, T value) {
  std::memcpy(b.data() + at, &value, sizeof value);
}

void text(Bytes& b, const std::string& s, size_t width) {
  Bytes field = s;
  field.resize(width, '\0');
  b += field;
}

Bytes header(size_t bytes, uint8_t type, uint32_t instrument, uint64_t ts_event) {
  Bytes b(bytes, '\0');
  set<uint8_t>(b, 0, static_cast<uint8_t>(bytes / 4));
  set<uint8_t>(b, 1, type);
  set<uint16_t>(b, 2, 1);
  set<uint32_t>(b, 4, instrument);
  set<uint64_t>(b, 8, ts_event);
  return b;
}

}  // namespace

Scratch::Scratch() {
  // Thousands of small files are written: memory, where the system offers it.
  const char* chosen = std::getenv("TMPDIR");
  const bool memory = !chosen && std::filesystem::is_directory("/dev/shm");
  const std::filesystem::path parent = memory ? "/dev/shm" : std::filesystem::temp_directory_path();
  std::string pattern = (parent / "foxhunt-market-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}
Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}
std::string Scratch::file(const std::string& name, const Bytes& bytes) const {
  std::ofstream(folder_ / name, std::ios::binary) << bytes;
  return path(name);
}
size_t Scratch::entries() const {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator{}));
}

Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

Bytes compress(const Bytes& plain) {
  Bytes out(ZSTD_compressBound(plain.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
  return out;
}

Bytes decompress(const Bytes& zstd) {
  ZSTD_DStream* d = ZSTD_createDStream();
  ZSTD_inBuffer in{zstd.data(), zstd.size(), 0};
  Bytes all, chunk(1 << 16, '\0');
  for (;;) {
    ZSTD_outBuffer out{chunk.data(), chunk.size(), 0};
    const size_t more = ZSTD_decompressStream(d, &out, &in);
    all.append(chunk.data(), out.pos);
    if (ZSTD_isError(more) || (in.pos == in.size && out.pos < out.size)) break;
  }
  ZSTD_freeDStream(d);
  return all;
}

Bytes dbn_head(int version, uint16_t schema, const std::vector<Name>& names, uint64_t record_count) {
  const size_t width = version == 1 ? 22 : 71;
  Bytes b;
  text(b, "GLBX.MDP3", 16);
  put<uint16_t>(b, schema);
  put<uint64_t>(b, 0);
  put<uint64_t>(b, UINT64_MAX);
  put<uint64_t>(b, 0);
  if (version == 1) put<uint64_t>(b, record_count);
  put<uint8_t>(b, 1);
  put<uint8_t>(b, 0);
  put<uint8_t>(b, 0);
  if (version > 1) put<uint16_t>(b, static_cast<uint16_t>(width));
  b.append(version == 1 ? 47 : 53, '\0');
  put<uint32_t>(b, 0);
  put<uint32_t>(b, static_cast<uint32_t>(names.size()));
  for (const Name& n : names) text(b, n.symbol, width);
  put<uint32_t>(b, 0);
  put<uint32_t>(b, 0);
  put<uint32_t>(b, static_cast<uint32_t>(names.size()));
  for (const Name& n : names) {
    text(b, n.symbol, width);
    put<uint32_t>(b, 1);
    put<uint32_t>(b, 20240101);
    put<uint32_t>(b, 20240102);
    text(b, std::to_string(n.id), width);
  }
  if (version == 3) b.resize((b.size() + 7) / 8 * 8, '\0');
  Bytes all = "DBN";
  put<uint8_t>(all, static_cast<uint8_t>(version));
  put<uint32_t>(all, static_cast<uint32_t>(b.size()));
  return all + b;
}

Bytes mbo(const Order& o, bool ts_out) {
  Bytes b = header(ts_out ? 64 : 56, 0xA0, o.instrument, o.ts_event);
  set<uint64_t>(b, 16, o.id);
  set<int64_t>(b, 24, o.price);
  set<uint32_t>(b, 32, o.size);
  set<uint8_t>(b, 36, o.flags);
  set<char>(b, 38, o.action);
  set<char>(b, 39, o.side);
  set<uint64_t>(b, 40, o.ts_recv);
  return b;
}

Bytes mbp(const std::vector<Level>& levels, const Order& o) {
  Bytes b = header(48 + 32 * levels.size(), levels.size() == 1 ? 0x01 : 0x0A, o.instrument, o.ts_event);
  set<int64_t>(b, 16, o.price);
  set<uint32_t>(b, 24, o.size);
  set<char>(b, 28, o.action);
  set<char>(b, 29, o.side);
  set<uint8_t>(b, 30, o.flags);
  set<uint64_t>(b, 32, o.ts_recv);
  for (size_t l = 0; l < levels.size(); ++l) {
    set<int64_t>(b, 48 + 32 * l, levels[l].bid_px);
    set<int64_t>(b, 56 + 32 * l, levels[l].ask_px);
    set<uint32_t>(b, 64 + 32 * l, levels[l].bid_sz);
    set<uint32_t>(b, 68 + 32 * l, levels[l].ask_sz);
  }
  return b;
}

Bytes definition(int version, uint32_t id, const std::string& symbol, const std::string& asset, int64_t tick,
                 int64_t multiplier) {
  const size_t size = version == 1 ? 360 : version == 2 ? 400 : 520;
  Bytes b = header(size, 0x13, id, 1);
  set<int64_t>(b, 24, tick);
  set<int64_t>(b, version == 3 ? 80 : 88, multiplier);
  std::memcpy(b.data() + (version == 3 ? 224 : 186), "USD", 3);
  std::memcpy(b.data() + (version == 3 ? 238 : 200), symbol.data(), symbol.size());
  std::memcpy(b.data() + (version == 1 ? 248 : version == 2 ? 297 : 335), asset.data(), asset.size());
  return b;
}

Bytes status(uint32_t instrument, uint16_t action, char is_trading) {
  Bytes b = header(40, 0x12, instrument, 1);
  set<uint16_t>(b, 24, action);
  set<char>(b, 30, is_trading);
  return b;
}

ImportOptions es_options() {
  ImportOptions o;
  o.tick_size = 0.25;
  o.multiplier = 50;
  o.session = parse_session("none");
  return o;
}

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << part << "\" is not in: " << text;
}

std::string data_file(const std::string& name) {
  const char* folder = std::getenv("FOXHUNT_TEST_DATA");
  const std::filesystem::path path =
      (folder && *folder ? std::filesystem::path(folder)
                         : std::filesystem::path(FOXHUNT_SOURCE_DIR) / ".." / "shared" / "data") /
      name;
  return std::filesystem::exists(path) ? path.string() : "";
}

}  // namespace foxhunt::market::test
