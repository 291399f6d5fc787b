#include "market/dbn_source.hpp"

#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <foxhunt/error.hpp>
#include <vector>

#include "market/text.hpp"

namespace foxhunt::market {
namespace {

struct CloseFile {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
struct FreeDecompressor {
  void operator()(ZSTD_DStream* d) const { ZSTD_freeDStream(d); }
};

constexpr size_t kChunk = size_t{1} << 17;

}  // namespace

struct DbnSource::State {
  DbnLimits limits;
  std::unique_ptr<std::FILE, CloseFile> file;
  std::unique_ptr<ZSTD_DStream, FreeDecompressor> zstd;  // null: plain
  std::vector<unsigned char> in = std::vector<unsigned char>(kChunk);
  ZSTD_inBuffer pending{nullptr, 0, 0};
  uint64_t bytes_in = 0, bytes_out = 0;
  bool ended = false;
  bool in_frame = false;
};

DbnSource::DbnSource(const std::string& path, const DbnLimits& limits)
    : path_(path), state_(std::make_unique<State>()) {
  State& s = *state_;
  s.limits = limits;
  s.file.reset(std::fopen(path.c_str(), "rb"));
  if (!s.file) throw Error("cannot open '" + path + "': " + std::strerror(errno));
  unsigned char magic[4] = {};
  const size_t n = std::fread(magic, 1, sizeof magic, s.file.get());
  if (std::ferror(s.file.get())) throw Error("cannot read '" + path + "': " + std::strerror(errno));
  if (n == 0) throw Error("'" + path + "' is empty: expected a Databento DBN file");
  if (n == 4 && std::memcmp(magic, "P*M\x18", 4) == 0)
    throw Error("'" + path +
                "' is a DBZ file, the format that DBN replaced in 2023: convert it with Databento's `dbn` "
                "tool, or download it again as DBN");
  std::rewind(s.file.get());
  if (n == 4 && std::memcmp(magic, "\x28\xB5\x2F\xFD", 4) == 0) {
    s.zstd.reset(ZSTD_createDStream());
    if (!s.zstd) throw Error("no memory to decompress '" + path + "'");
    ZSTD_DCtx_setParameter(s.zstd.get(), ZSTD_d_windowLogMax, limits.window_log);
  }
}

DbnSource::~DbnSource() = default;

bool DbnSource::compressed() const { return state_->zstd != nullptr; }

bool DbnSource::cut_in_frame() const { return state_->ended && state_->in_frame; }

size_t DbnSource::read(void* to, size_t n) {
  State& s = *state_;
  if (!s.zstd) {
    const size_t got = std::fread(to, 1, n, s.file.get());
    if (std::ferror(s.file.get())) throw Error("cannot read '" + path_ + "': " + std::strerror(errno));
    s.ended = got < n;
    return got;
  }
  ZSTD_outBuffer out{to, n, 0};
  while (out.pos < out.size) {
    if (s.pending.pos == s.pending.size && !s.ended) {
      const size_t got = std::fread(s.in.data(), 1, s.in.size(), s.file.get());
      if (std::ferror(s.file.get())) throw Error("cannot read '" + path_ + "': " + std::strerror(errno));
      s.pending = {s.in.data(), got, 0};
      s.bytes_in += got;
      s.ended = got == 0;
    }
    if (s.ended && !s.in_frame) break;
    const size_t before = out.pos;
    const size_t more = ZSTD_decompressStream(s.zstd.get(), &out, &s.pending);
    if (ZSTD_isError(more))
      throw Error("'" + path_ + "' is damaged: zstd says \"" + ZSTD_getErrorName(more) +
                  "\" near compressed byte " + std::to_string(s.bytes_in - s.pending.size + s.pending.pos) +
                  "; download it again");
    s.in_frame = more != 0;
    s.bytes_out += out.pos - before;
    if (s.ended && out.pos == before) break;  // nothing is left inside the decompressor: the frame is cut
    const auto blown = static_cast<double>(s.bytes_out) / static_cast<double>(s.bytes_in);
    if (s.bytes_out > s.limits.decompressed_bytes ||
        (s.bytes_out > s.limits.ratio_from && blown > s.limits.ratio))
      throw Error("'" + path_ + "' expands to more than " + grouped(static_cast<int64_t>(s.bytes_out)) +
                  " bytes from " + grouped(static_cast<int64_t>(s.bytes_in)) +
                  ": beyond the limits for market data (ratio " + shortest(s.limits.ratio) + ", total " +
                  grouped(static_cast<int64_t>(s.limits.decompressed_bytes)) +
                  " bytes). Raise the limits if the file is genuine");
  }
  return out.pos;
}

}  // namespace foxhunt::market
