#include "cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "warning.hpp"

namespace foxhunt::compute {
namespace {

constexpr std::string_view suffix = ".fhk";
constexpr std::string_view unfinished = ".part-";
constexpr time_t unfinished_is_stale_after = 3600;  // seconds

// What stands before the payload. `seal` covers all that is before it, `payload_digest` the rest of the file.
struct Header {
  char magic[8] = {'F', 'H', 'C', 'A', 'C', 'H', 'E', '1'};
  uint64_t payload_bytes = 0;
  CacheKey key{};
  Sha256::Digest payload_digest{};
  Sha256::Digest seal{};
};
static_assert(sizeof(Header) == 112);

Sha256::Digest digest_of(const void* data, size_t bytes) { return Sha256().add(data, bytes).digest(); }

Header header_for(const CacheKey& key, std::span<const std::byte> payload) {
  Header h;
  h.payload_bytes = payload.size();
  h.key = key;
  h.payload_digest = digest_of(payload.data(), payload.size());
  h.seal = digest_of(&h, offsetof(Header, seal));
  return h;
}

struct File {
  explicit File(int descriptor) : fd(descriptor) {}
  ~File() {
    if (fd >= 0) ::close(fd);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd;
};

bool read_all(int fd, void* to, size_t bytes) {
  for (auto* p = static_cast<char*>(to); bytes > 0;) {
    const ssize_t n = ::read(fd, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, bytes -= static_cast<size_t>(n);
  }
  return true;
}

bool write_all(int fd, const void* from, size_t bytes) {
  for (const auto* p = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t n = ::write(fd, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, bytes -= static_cast<size_t>(n);
  }
  return true;
}

std::string entry_name(const CacheKey& key) { return to_hex(key) + std::string(suffix); }

bool is_entry(std::string_view name) { return name.size() == 64 + suffix.size() && name.ends_with(suffix); }

struct Found {
  std::string name;
  uint64_t bytes;
  timespec used;
};

// Entries of the folder, oldest use first. `others` gets the unfinished files.
std::vector<Found> list(int folder, std::vector<Found>* others = nullptr) {
  std::vector<Found> entries;
  DIR* dir = ::fdopendir(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir) return entries;
  while (const dirent* e = ::readdir(dir)) {
    struct stat s {};
    const bool entry = is_entry(e->d_name), part = std::string_view(e->d_name).starts_with(unfinished);
    if ((!entry && !part) || ::fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const Found found{e->d_name, static_cast<uint64_t>(s.st_size), s.st_mtim};
    if (entry)
      entries.push_back(found);
    else if (others)
      others->push_back(found);
  }
  ::closedir(dir);
  std::sort(entries.begin(), entries.end(), [](const Found& a, const Found& b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) < std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
  });
  return entries;
}

std::string folder_from_environment() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? std::string(value) : std::string();
  };
  if (std::string folder = set("FOXHUNT_CACHE_DIR"); !folder.empty()) return folder;
  // The XDG specification: a relative path there is to be ignored.
  if (std::string folder = set("XDG_CACHE_HOME"); !folder.empty() && folder.front() == '/')
    return folder + "/foxhunt";
  std::string home = set("HOME");
  if (home.empty())
    if (const passwd* user = ::getpwuid(::geteuid())) home = user->pw_dir;
  return home.empty() ? "" : home + "/.cache/foxhunt";
}

}  // namespace

Cache Cache::from_environment() {
  uint64_t megabytes = 1024;
  if (const char* text = std::getenv("FOXHUNT_CACHE_MAX_MB"); text && *text) {
    const char* end = text + std::strlen(text);
    if (auto [stop, error] = std::from_chars(text, end, megabytes);
        error != std::errc() || stop != end || megabytes > (uint64_t{1} << 40))
      throw Error("FOXHUNT_CACHE_MAX_MB is '" + std::string(text) +
                  "'; a whole number of megabytes is expected.");
  }
  return Cache(folder_from_environment(), megabytes << 20);
}

Cache::Cache(const std::string& folder, uint64_t max_bytes) : folder_(folder), max_bytes_(max_bytes) {
  while (folder_.size() > 1 && folder_.back() == '/') folder_.pop_back();
  problem_ = open_folder();
  if (problem_.empty()) return;
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  warn("kernels are compiled at every start, because there is no cache: " + problem_);
}

// Returns why the folder cannot be used. From here on everything is relative to the descriptor: what was
// checked is what is used.
std::string Cache::open_folder() {
  if (folder_.empty()) return "no folder is known. Set FOXHUNT_CACHE_DIR.";
  std::error_code none;
  std::filesystem::create_directories(std::filesystem::path(folder_).parent_path(), none);
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    return "'" + folder_ + "' cannot be made: " + std::strerror(errno) + ". Set FOXHUNT_CACHE_DIR.";
  fd_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat s {};
  if (fd_ < 0 || ::fstat(fd_, &s) != 0)
    return "'" + folder_ + "' cannot be opened: " + std::strerror(errno) + ". Set FOXHUNT_CACHE_DIR.";
  if (s.st_uid != ::geteuid())
    return "'" + folder_ + "' belongs to another user, who could put code there. Set FOXHUNT_CACHE_DIR.";
  if (s.st_mode & (S_IWGRP | S_IWOTH))
    return "others may write to '" + folder_ + "'. Run: chmod 700 '" + folder_ + "'";
  return {};
}

Cache::~Cache() {
  if (fd_ >= 0) ::close(fd_);
}

Cache::Cache(Cache&& o) noexcept
    : folder_(std::move(o.folder_)), problem_(std::move(o.problem_)), max_bytes_(o.max_bytes_), fd_(o.fd_) {
  o.fd_ = -1;
}

std::optional<Bytes> Cache::load(const CacheKey& key) const {
  if (fd_ < 0) return {};
  const File file(::openat(fd_, entry_name(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat s {};
  if (file.fd < 0 || ::fstat(file.fd, &s) != 0) return {};
  if (!S_ISREG(s.st_mode) || s.st_uid != ::geteuid() || (s.st_mode & (S_IWGRP | S_IWOTH))) return {};
  Header h;
  if (static_cast<uint64_t>(s.st_size) < sizeof h || !read_all(file.fd, &h, sizeof h)) return {};
  if (h.seal != digest_of(&h, offsetof(Header, seal)) || h.key != key ||
      std::memcmp(h.magic, Header().magic, sizeof h.magic) != 0 ||
      h.payload_bytes != static_cast<uint64_t>(s.st_size) - sizeof h)
    return {};
  Bytes payload(h.payload_bytes);
  if (!read_all(file.fd, payload.data(), payload.size()) ||
      h.payload_digest != digest_of(payload.data(), payload.size()))
    return {};
  ::futimens(file.fd, nullptr);  // "last used", for trim()
  return payload;
}

void Cache::store(const CacheKey& key, std::span<const std::byte> payload) const {
  if (fd_ < 0) return;
  std::array<uint8_t, 32> random{};
  if (::getrandom(random.data(), 16, 0) != 16) return;
  const std::string part = std::string(unfinished) + to_hex(random).substr(0, 32), name = entry_name(key);
  const Header h = header_for(key, payload);
  bool done = false, made = false;
  int reason = 0;
  {
    const File file(::openat(fd_, part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    made = file.fd >= 0;
    done = made && write_all(file.fd, &h, sizeof h) && write_all(file.fd, payload.data(), payload.size()) &&
           ::fsync(file.fd) == 0 && ::renameat(fd_, part.c_str(), fd_, name.c_str()) == 0;
    reason = errno;
  }
  if (done) {
    ::fsync(fd_);
    return trim(name);
  }
  if (made) ::unlinkat(fd_, part.c_str(), 0);
  warn("compiled kernels cannot be kept in '" + folder_ + "': " + std::strerror(reason) +
       ". They are compiled again at the next start.");
}

void Cache::trim(const std::string& keep) const {
  std::vector<Found> parts;
  const std::vector<Found> entries = list(fd_, &parts);
  for (const Found& part : parts)
    if (std::time(nullptr) - part.used.tv_sec > unfinished_is_stale_after)
      ::unlinkat(fd_, part.name.c_str(), 0);
  uint64_t total = 0;
  for (const Found& entry : entries) total += entry.bytes;
  for (const Found& entry : entries) {
    if (total <= max_bytes_) return;
    if (entry.name == keep || ::unlinkat(fd_, entry.name.c_str(), 0) != 0) continue;
    total -= entry.bytes;
  }
}

Cache::Report Cache::report() const {
  Report r{folder_, problem_, 0, 0, max_bytes_};
  if (fd_ < 0) return r;
  for (const Found& entry : list(fd_)) {
    ++r.entries;
    r.bytes += entry.bytes;
  }
  return r;
}

size_t Cache::clear() const {
  if (fd_ < 0) return 0;
  std::vector<Found> parts;
  size_t removed = 0;
  for (const Found& entry : list(fd_, &parts)) removed += ::unlinkat(fd_, entry.name.c_str(), 0) == 0;
  for (const Found& part : parts) ::unlinkat(fd_, part.name.c_str(), 0);
  return removed;
}

Bytes load_or_compile(const Cache& cache, const CacheKey& key, const std::function<Bytes()>& compile,
                      bool& was_cached) {
  if (std::optional<Bytes> found = cache.load(key)) {
    was_cached = true;
    return std::move(*found);
  }
  was_cached = false;
  Bytes made = compile();
  cache.store(key, made);
  return made;
}

Cache::Report cache_report() { return Cache::from_environment().report(); }
size_t cache_clear() { return Cache::from_environment().clear(); }

}  // namespace foxhunt::compute
