#include "print.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <foxhunt/error.hpp>

#include "../common/text.hpp"

namespace foxhunt::cli {

namespace {

int first_failure = 0;

void note_failure() {
  if (first_failure == 0) first_failure = errno;
}

// Of UTF-8: bytes that do not continue a character.
std::size_t width(std::string_view cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

void print(std::string_view out) {
  if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size()) note_failure();
}

void finish_output() {
  if (std::fflush(stdout) != 0) note_failure();
  if (first_failure == 0 || first_failure == EPIPE) return;
  throw Error(text("standard output could not be written: ", std::strerror(first_failure)));
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
