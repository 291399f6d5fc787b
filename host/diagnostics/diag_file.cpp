#include "diag_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <foxhunt/error.hpp>
#include <fstream>
#include <limits>
#include <system_error>

#include "common/log.hpp"
#include "common/text.hpp"
#include "json_lines.hpp"

namespace foxhunt::diagnostics {

namespace fs = std::filesystem;

namespace {

Error failure(const fs::path& path, const char* what) {
  return Error(text(path, ": ", what, ": ", std::generic_category().message(errno)));
}

/// Longest line that is read; a longer one is damage (zeros after a power cut), whatever its end holds.
constexpr std::streamsize kMaxLine = 1 << 20;

/// Bytes up to and with the last whole line of an iteration <= step, before any later iteration.
struct Kept {
  std::uintmax_t bytes = 0;
  std::int64_t last_step = -1;
  std::string last_line;
};
Kept kept_until(const fs::path& path, std::int64_t step) {
  Kept kept;
  std::uintmax_t offset = 0;
  bool beyond = false;
  for_each_line(path, [&](std::string_view line, std::uintmax_t bytes, bool whole) {
    offset += bytes;
    const auto at = step_of(line);
    beyond = beyond || (at && *at > step);
    if (beyond || !whole || !at) return;
    kept = {offset, *at, std::string(line)};
  });
  return kept;
}

}  // namespace

void for_each_line(const fs::path& path,
                   const std::function<void(std::string_view, std::uintmax_t, bool)>& line) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) throw Error(text(path, ": is no file that can be read back"));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw failure(path, "cannot be opened");
  std::vector<char> buffer(static_cast<std::size_t>(kMaxLine));
  while (file.getline(buffer.data(), kMaxLine), file.gcount() > 0) {
    auto bytes = static_cast<std::uintmax_t>(file.gcount());
    bool whole = !file.eof();
    // gcount includes the line end that was taken out.
    std::string_view content(buffer.data(),
                             static_cast<std::size_t>(bytes) - (whole && !file.fail() ? 1 : 0));
    if (file.fail() && whole) {
      file.clear();
      file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      bytes += static_cast<std::uintmax_t>(file.gcount());
      content = {};
    }
    line(content, bytes, whole);
  }
  if (file.bad()) throw failure(path, "cannot be read");
}

struct DiagWriter::File {
  fs::path path;
  int fd = -1;
  File(fs::path name, int flags)
      : path(std::move(name)), fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd >= 0) ::close(fd);
  }
};

DiagWriter::DiagWriter(std::unique_ptr<File> file) : file_(std::move(file)) {}
DiagWriter::DiagWriter(DiagWriter&&) noexcept = default;
DiagWriter& DiagWriter::operator=(DiagWriter&&) noexcept = default;
DiagWriter::~DiagWriter() = default;

DiagWriter::DiagWriter(const fs::path& path) : file_(std::make_unique<File>(path, O_CREAT | O_EXCL)) {
  if (file_->fd < 0) throw failure(path, "cannot be begun");
}

DiagWriter DiagWriter::resume(const fs::path& path, const MetricSchema& schema, std::int64_t step) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    log::warning(text(path, ": is missing; a new one begins after iteration ", step));
    return DiagWriter(path);
  }
  const Kept kept = kept_until(path, step);
  auto file = std::make_unique<File>(path, 0);
  if (file->fd < 0) throw failure(path, "cannot be continued");
  if (::ftruncate(file->fd, static_cast<off_t>(kept.bytes)) != 0) throw failure(path, "cannot be cut");
  if (kept.last_step >= 0 && kept.last_step < step)
    log::warning(text(path, ": ends with iteration ", kept.last_step, "; those up to ", step, " are lost"));
  if (const auto before = parse_line(kept.last_line)) {
    // Same keys always: say so where a changed program or config breaks it.
    const auto now = parse_line(to_line(Row(schema)));
    const auto same_key = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (!std::equal(before->begin(), before->end(), now->begin(), now->end(), same_key))
      log::warning(text(path, ": has other keys after iteration ", step, " than before"));
  }
  return DiagWriter(std::move(file));
}

void DiagWriter::write(const Row& row) {
  const std::string line = to_line(row);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_->fd, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw failure(file_->path, "cannot be written");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

void DiagWriter::sync() {
  if (::fsync(file_->fd) != 0) throw failure(file_->path, "cannot be synced");
}

std::size_t DiagTable::column(std::string_view name) const {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

DiagTable read_diag(const fs::path& path) {
  DiagTable table;
  std::map<std::string, std::size_t, std::less<>> columns;
  for_each_line(path, [&](std::string_view line, std::uintmax_t, bool whole) {
    const auto fields = whole ? parse_line(line) : std::nullopt;
    if (!fields) {
      ++table.damaged;
      return;
    }
    if (table.names.empty())
      for (const auto& [name, value] : *fields) {
        columns.emplace(name, table.names.size());
        table.names.push_back(name);
      }
    std::vector<double> row(table.names.size(), std::numeric_limits<double>::quiet_NaN());
    for (const auto& [name, value] : *fields)
      if (const auto column = columns.find(name); column != columns.end()) row[column->second] = value;
    table.rows.push_back(std::move(row));
  });
  return table;
}

std::vector<Row> read_rows(const fs::path& path, const MetricSchema& schema, std::int64_t last_step) {
  std::vector<Row> rows;
  for_each_line(path, [&](std::string_view line, std::uintmax_t, bool whole) {
    const auto step = step_of(line);
    const auto fields = whole && step && *step <= last_step ? parse_line(line) : std::nullopt;
    if (!fields) return;
    Row& row = rows.emplace_back(schema);
    for (const auto& [name, value] : *fields)
      if (const auto place = schema.find(name)) row.put(*place, value);
  });
  return rows;
}

}  // namespace foxhunt::diagnostics
