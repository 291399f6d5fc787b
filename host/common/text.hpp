#pragma once
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt {

namespace detail {

template <class T>
concept Path = requires(const T& path) {
  { path.native() } -> std::convertible_to<std::string_view>;
};

template <class T>
void append(std::string& to, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    to += value ? "true" : "false";
  } else if constexpr (std::same_as<T, char>) {
    to += value;
  } else if constexpr (std::integral<T> || std::floating_point<T>) {
    char digits[64];  // the longest shortest-form double has 24 characters, an int64 has 20
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    to.append(digits, static_cast<std::size_t>(end - digits));
  } else if constexpr (Path<T>) {
    to += value.native();
  } else {
    to += std::string_view(value);
  }
}

}  // namespace detail

/// All parts one after the other. Numbers are written by std::to_chars: shortest text that reads back as the
/// same number, whatever the locale ("nan", "inf", "-inf" where they are that). Paths as they are.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::string result;
  (detail::append(result, parts), ...);
  return result;
}

/// `value` rounded to `digits` significant digits, for people to read: never for files that are read again.
std::string rounded(double value, int digits = 4);
/// `value` with `decimals` digits after the point.
std::string fixed(double value, int decimals);

/// The whole of `word` as a number, in the C locale; nothing if any character is left over or it overflows.
std::optional<std::int64_t> to_integer(std::string_view word);
/// As above; "nan", "inf" and "-inf" are numbers here. A leading '+' is not.
std::optional<double> to_real(std::string_view word);

/// Without blanks (space, tab, CR, LF) at both ends.
std::string_view trim(std::string_view line);

/// Parts between `separator`, each trimmed; "a,,b" has an empty part, "" has none.
std::vector<std::string> split(std::string_view line, char separator);

/// Parts between runs of blanks; never an empty one.
std::vector<std::string> words(std::string_view line);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// For messages: unprintable bytes as \xHH, cut after `limit` characters with "…" at the end.
std::string shown(std::string_view raw, std::size_t limit = 80);

/// [a-z][a-z0-9_]*: names of plugins, instances, gates.
bool is_identifier(std::string_view name);

/// The candidate with the smallest edit distance (insert, delete, replace, swap of neighbours) to `name`;
/// nothing if even that one is farther than a third of the name's length (at least 2), or if the name is
/// longer than 200 bytes.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace foxhunt
