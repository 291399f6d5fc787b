#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <foxhunt/error.hpp>
#include <system_error>
#include <vector>

#include "text.hpp"

namespace foxhunt {

namespace fs = std::filesystem;

namespace {

std::string reason(int code) { return std::generic_category().message(code); }

/// An open file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  /// @return 0, or the error of close(2), which may be the first to tell of a failed write.
  int close() {
    if (fd_ < 0) return 0;
    const int failed = ::close(fd_) == 0 ? 0 : errno;
    fd_ = -1;
    return failed;
  }

 private:
  int fd_;
};

/// @return 0 or errno.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

std::string read_prefix(const fs::path& path, std::size_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw Error(text(path, ": cannot be opened: ", reason(errno)));
  std::string content;
  std::vector<char> block(64 * 1024);
  while (content.size() < limit) {
    const ssize_t got = ::read(file.get(), block.data(), std::min(block.size(), limit - content.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(text(path, ": cannot be read: ", reason(errno)));
    if (got == 0) break;
    content.append(block.data(), static_cast<std::size_t>(got));
  }
  return content;
}

std::string read_file(const fs::path& path, std::size_t limit) {
  std::string content = read_prefix(path, limit + 1);
  if (content.size() > limit)
    throw Error(
        text(path, ": holds more than ", limit, " bytes, the most that is read here; is it the right file?"));
  return content;
}

void sync_folder(const fs::path& folder) {
  const Descriptor open(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems refuse fsync on a folder (EINVAL): their renames are as durable as they get.
  if (open.get() < 0 || (::fsync(open.get()) != 0 && errno != EINVAL))
    throw Error(text("folder ", folder, ": cannot be synced: ", reason(errno)));
}

void write_file_atomic(const fs::path& path, std::string_view content) {
  static std::atomic<unsigned> count{0};
  const std::string temporary = text(path, ".", ::getpid(), "-", count++, ".tmp");
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) throw Error(text(path, ": cannot be written: ", reason(errno)));
  int failed = write_all(file.get(), content);
  if (!failed && ::fsync(file.get()) != 0) failed = errno;
  const int closed = file.close();
  if (!failed) failed = closed;
  if (!failed && ::rename(temporary.c_str(), path.c_str()) != 0) failed = errno;
  if (failed) {
    ::unlink(temporary.c_str());
    throw Error(text(path, ": cannot be written: ", reason(failed)));
  }
  sync_folder(path.parent_path());
}

void make_run_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(text("run folder ", folder, ": cannot be made: ", error.message()));
  if (!fs::is_empty(folder, error) || error)
    throw Error(text("run folder ", folder,
                     ": is not empty, and a run never overwrites another; name a new folder, or use --resume "
                     "to continue the run that is in it"));
}

fs::path make_numbered_folder(const fs::path& parent, const std::string& stem) {
  std::error_code error;
  fs::create_directories(parent.empty() ? fs::path(".") : parent, error);
  if (error) throw Error(text("folder ", parent, ": cannot be made: ", error.message()));
  for (int number = 1; number < 1'000'000; ++number) {
    std::string digits = text(number);
    digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, '0');
    const fs::path folder = parent / text(stem, '-', digits);
    if (::mkdir(folder.c_str(), 0777) == 0) return folder;
    if (errno != EEXIST) throw Error(text("run folder ", folder, ": cannot be made: ", reason(errno)));
  }
  throw Error(text("folder ", parent, ": has no free name ", stem, "-N left"));
}

}  // namespace foxhunt
