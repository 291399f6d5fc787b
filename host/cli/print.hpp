#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt::cli {

/// Results go to standard output. What could not be written is noticed by `finish_output`.
void print(std::string_view out);

/// Flushes standard output. False if not all that was ever printed there could be written; a reader that went
/// away (`| head`) is no failure.
bool finish_output();

/// Rows as text, each column as wide as its widest cell (the last one is not padded).
std::string columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace foxhunt::cli
