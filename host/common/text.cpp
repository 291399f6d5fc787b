#include "text.hpp"

#include <algorithm>

namespace foxhunt {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

template <class Number>
std::optional<Number> number(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Optimal string alignment distance (Levenshtein with swaps of neighbours).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string rounded(double value, int digits) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general,
                                 std::clamp(digits, 1, 17))
                       .ptr;
  return {buffer, end};
}

std::string fixed(double value, int decimals) {
  char buffer[512];  // the largest double has 309 digits before the point
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed,
                                 std::clamp(decimals, 0, 64))
                       .ptr;
  return {buffer, end};
}

std::optional<std::int64_t> to_integer(std::string_view word) { return number<std::int64_t>(word); }
std::optional<double> to_real(std::string_view word) { return number<double>(word); }

std::string_view trim(std::string_view line) {
  const auto first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> parts;
  if (line.empty()) return parts;
  for (;;) {
    const auto end = line.find(separator);
    parts.emplace_back(trim(line.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    line.remove_prefix(end + 1);
  }
}

std::vector<std::string> words(std::string_view line) {
  std::vector<std::string> parts;
  for (line = trim(line); !line.empty(); line = trim(line)) {
    const auto end = std::min(line.find_first_of(kBlanks), line.size());
    parts.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string result;
  for (const std::string& part : parts) {
    if (&part != parts.data()) result += separator;
    result += part;
  }
  return result;
}

std::string shown(std::string_view raw, std::size_t limit) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string result;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (i == limit) return result + "…";
    const auto byte = static_cast<unsigned char>(raw[i]);
    if (byte >= 0x20 && byte < 0x7f) {
      result += raw[i];
    } else {
      result += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_';
  });
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > 200) return std::nullopt;
  std::size_t best = std::max<std::size_t>(2, name.size() / 3) + 1;
  std::optional<std::string> result;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best) continue;
    best = distance;
    result = candidate;
  }
  return result;
}

}  // namespace foxhunt
