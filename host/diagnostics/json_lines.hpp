#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema.hpp"

/// The text of diag.jsonl: one JSON object a line, same keys in the same order in each.
namespace foxhunt::diagnostics {

/// {"step":3,"l_q":"nan","action_hist":[0.5,0.5]} with a line end. Numbers are the shortest text that reads
/// back as the same double; JSON has no NaN, so NaN and infinities are the strings "nan", "inf", "-inf".
std::string to_line(const Row& row);

/// A line as keys and numbers, arrays as "name.0", "name.1", … Nothing if it is not such an object.
using Fields = std::vector<std::pair<std::string, double>>;
std::optional<Fields> parse_line(std::string_view line);

/// "step" of a line that is whole: an object up to its closing brace.
std::optional<std::int64_t> step_of(std::string_view line);

}  // namespace foxhunt::diagnostics
