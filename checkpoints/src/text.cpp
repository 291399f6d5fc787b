#include "text.hpp"

#include <array>
#include <charconv>

namespace foxhunt::checkpoints {

namespace {

template <class T, class... Format>
std::string chars(T value, Format... format) {
  std::array<char, 64> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  return {buffer.data(), result.ptr};
}

}  // namespace

std::string number(double value) { return chars(value); }
std::string number(float value) { return chars(value); }
std::string number(std::int64_t value) { return chars(value); }
std::string number(std::uint64_t value) { return chars(value); }
std::string rounded(double value, int digits) { return chars(value, std::chars_format::general, digits); }

std::string byte_text(std::uint64_t bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return (unit == 0 ? number(bytes) : rounded(value, 4)) + " " + units[unit];
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  if (shape.empty()) return "scalar";
  std::vector<std::string> parts;
  for (const auto size : shape) parts.push_back(number(size));
  return "[" + join(parts, ", ") + "]";
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  return out;
}

std::string in_quotes(std::string_view text) { return '"' + printable(text) + '"'; }

bool is_at_or_below(std::string_view path, std::string_view prefix) {
  while (!prefix.empty() && prefix.back() == '/') prefix.remove_suffix(1);
  if (!path.starts_with(prefix)) return false;
  return path.size() == prefix.size() || path[prefix.size()] == '/' || path[prefix.size()] == '@';
}

}  // namespace foxhunt::checkpoints
