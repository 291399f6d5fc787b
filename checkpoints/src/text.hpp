#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt::checkpoints {

/// Shortest text that reads back as the same value; independent of the locale.
std::string number(double value);
std::string number(float value);
std::string number(std::int64_t value);
std::string number(std::uint64_t value);
/// With `digits` significant digits.
std::string rounded(double value, int digits = 6);
/// "12.3 MB".
std::string byte_text(std::uint64_t bytes);
/// "[128, 9]"; "scalar" without dimensions.
std::string shape_text(const std::vector<std::uint64_t>& shape);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Control characters as \xNN, so that a name in a file cannot drive a terminal.
std::string printable(std::string_view text);
/// Printable and in quotes.
std::string in_quotes(std::string_view text);
/// Whether `path` is `prefix`, or lies below it: the next character is '/' or '@'.
bool is_at_or_below(std::string_view path, std::string_view prefix);

}  // namespace foxhunt::checkpoints
