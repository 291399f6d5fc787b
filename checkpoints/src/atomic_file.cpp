#include "atomic_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <foxhunt/error.hpp>

#include "text.hpp"

namespace fs = std::filesystem;

namespace foxhunt::checkpoints {

namespace {

constexpr std::string_view temporary_prefix = ".foxhunt-tmp.";

std::string host_name() {
  char buffer[256] = {};
  gethostname(buffer, sizeof buffer - 1);
  std::string name(buffer);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain) c = '-';
  }
  return name.empty() ? "host" : name.substr(0, 64);
}

// Tells this process from an earlier one that had the same id.
const std::string& process_nonce() {
  static const std::string nonce =
      number(std::uint64_t{std::random_device{}()} << 32 | std::random_device{}());
  return nonce;
}

// .foxhunt-tmp.<host>.<pid>.<nonce>.<counter>
fs::path temporary_name(const fs::path& target) {
  static std::atomic<std::uint64_t> counter{0};
  const std::string name = std::string(temporary_prefix) + host_name() + "." +
                           number(static_cast<std::int64_t>(getpid())) + "." + process_nonce() + "." +
                           number(counter.fetch_add(1));
  return target.parent_path() / name;
}

struct Writer {
  std::string host, nonce;
  std::int64_t pid = 0;
};

std::optional<Writer> parse_temporary_name(const std::string& name) {
  if (!name.starts_with(temporary_prefix)) return std::nullopt;
  std::vector<std::string> parts(1);
  for (const char c : name.substr(temporary_prefix.size())) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() != 4) return std::nullopt;
  for (std::size_t i = 1; i < 4; ++i) {
    if (parts[i].empty() || parts[i].find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;
  }
  Writer writer{parts[0], parts[2]};
  const char* end = parts[1].data() + parts[1].size();
  if (std::from_chars(parts[1].data(), end, writer.pid).ec != std::errc{} || writer.pid <= 0)
    return std::nullopt;
  return writer;
}

bool is_dead(const Writer& writer, const fs::path& file) {
  if (writer.host == host_name()) {
    if (writer.pid == getpid()) return writer.nonce != process_nonce();
    if (kill(static_cast<pid_t>(writer.pid), 0) != 0 && errno == ESRCH) return true;
  }
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - written > std::chrono::hours(1);
}

[[noreturn]] void fail(const std::string& what, const fs::path& target, int error) {
  std::string text = what + " " + target.string() + ": " + std::generic_category().message(error);
  if (error == ENOSPC || error == EDQUOT) text += "; free some space, or keep fewer checkpoints";
  if (error == EFBIG) text += "; raise the file size limit (ulimit -f)";
  if (error == EACCES || error == EPERM || error == EROFS) text += "; choose a folder that can be written";
  throw Error(text + ". What was there before is unchanged");
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  /// Some file systems report a failed write only here.
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

struct RemoveOnExit {
  fs::path path;
  ~RemoveOnExit() { ::unlink(path.c_str()); }
};

int sync(int fd) {
  int status;
  do {
    status = ::fsync(fd);
  } while (status != 0 && errno == EINTR);
  // Special file systems that cannot sync at all say so with these.
  if (status != 0 && (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP)) return 0;
  return status;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

void sync_folder_of(const fs::path& file) {
  const Descriptor folder(folder_of(file), O_RDONLY | O_DIRECTORY);
  if (folder.get() < 0 || sync(folder.get()) != 0) fail("cannot sync the folder of", file, errno);
}

void write_all(int fd, std::span<const std::byte> data, const fs::path& target) {
  while (!data.empty()) {
    const ssize_t written = ::write(fd, data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write", target, errno);
    data = data.subspan(static_cast<std::size_t>(written));
  }
}

// rename() of two links to one file does nothing and leaves both: RemoveOnExit covers that case, too.
void put_in_place(const fs::path& temporary, const fs::path& target) {
  if (::rename(temporary.c_str(), target.c_str()) != 0) fail("cannot write", target, errno);
  sync_folder_of(target);
}

}  // namespace

void write_atomically(const fs::path& target, std::span<const std::byte> data) {
  const fs::path temporary = temporary_name(target);
  Descriptor file(temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (file.get() < 0) fail("cannot write", target, errno);
  const RemoveOnExit cleanup{temporary};
  write_all(file.get(), data, target);
  if (sync(file.get()) != 0) fail("cannot write", target, errno);
  if (file.close() != 0) fail("cannot write", target, errno);
  put_in_place(temporary, target);
}

void link_atomically(const fs::path& source, const fs::path& target, std::span<const std::byte> data,
                     bool hard_links) {
  if (hard_links) {
    const fs::path temporary = temporary_name(target);
    if (::link(source.c_str(), temporary.c_str()) == 0) {
      const RemoveOnExit cleanup{temporary};
      return put_in_place(temporary, target);
    }
  }
  write_atomically(target, data);
}

void remove_leftovers(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const auto writer = parse_temporary_name(it->path().filename().string());
    if (writer && is_dead(*writer, it->path())) ::unlink(it->path().c_str());
  }
}

}  // namespace foxhunt::checkpoints
