#include "print.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace foxhunt::cli {

namespace {

bool reader_went_away() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

// Of UTF-8: bytes that do not continue a character.
std::size_t width(std::string_view cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

void print(std::string_view out) { std::fwrite(out.data(), 1, out.size(), stdout); }

bool finish_output() {
  std::fflush(stdout);
  return std::ferror(stdout) == 0 || reader_went_away();
}

std::string columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == widths.size()) widths.push_back(0);
      if (c + 1 < row.size()) widths[c] = std::max(widths[c], width(row[c]));
    }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      out += row[c];
      if (c + 1 < row.size()) out.append(widths[c] - width(row[c]) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace foxhunt::cli
