#include "diag_tail.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace foxhunt::diagnostics {

namespace {

constexpr std::size_t kChunk = 1 << 20;

/// Closed at the end of the scope.
struct Descriptor {
  int fd;
  explicit Descriptor(int number) : fd(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

DiagTail::Read DiagTail::read(int fd, const std::function<void(std::int64_t, const Fields&)>& row) {
  std::string rest, chunk(kChunk, '\0');
  const bool afresh = offset_ == 0;
  bool first = true;
  for (off_t at = offset_;;) {
    const ssize_t got = ::pread(fd, chunk.data(), chunk.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Read::done;
    at += got;
    rest.append(chunk.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string_view line(rest.data() + begin, end - begin);
      const auto step = step_of(line);
      const auto fields = step ? parse_line(line) : std::nullopt;
      const bool follows = fields && *step > last_step_;
      // Where another process cut the file and wrote on, the place where we left off holds something else.
      if (first && !afresh && !follows) return Read::rewritten;
      first = false;
      if (!follows) continue;
      last_step_ = *step;
      row(*step, *fields);
    }
    offset_ += static_cast<off_t>(begin);
    rest.erase(0, begin);
    // Zeros after a power cut, or no diag.jsonl: not to be held in memory until a line ends.
    if (rest.size() > kChunk) offset_ += static_cast<off_t>(rest.size()), rest.clear();
  }
}

void DiagTail::poll(const std::function<void()>& restart,
                    const std::function<void(std::int64_t step, const Fields&)>& row) {
  const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat now {};
  // Not there, or on its way from one name to the next: what was read stays.
  if (file.fd < 0 || ::fstat(file.fd, &now) != 0 || !S_ISREG(now.st_mode)) return;
  const auto begin_again = [&] {
    if (offset_ > 0) restart();
    offset_ = 0;
    last_step_ = 0;
  };
  if (now.st_dev != device_ || now.st_ino != inode_ || now.st_size < offset_) begin_again();
  device_ = now.st_dev;
  inode_ = now.st_ino;
  if (read(file.fd, row) == Read::rewritten) {
    begin_again();
    read(file.fd, row);
  }
}

}  // namespace foxhunt::diagnostics
