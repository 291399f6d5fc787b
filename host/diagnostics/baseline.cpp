#include "baseline.hpp"

#include <algorithm>
#include <foxhunt/error.hpp>

#include "common/text.hpp"
#include "diag_file.hpp"
#include "json_lines.hpp"

namespace foxhunt::diagnostics {

namespace fs = std::filesystem;

namespace {
constexpr auto kByStep = [](const auto& a, const auto& b) { return a.first < b.first; };
}

Series::Series(std::vector<std::pair<std::int64_t, double>> values) {
  std::stable_sort(values.begin(), values.end(), kByStep);
  for (const auto& value : values) {
    // Of a step that comes twice the later line counts, as in a run that was set back.
    if (!values_.empty() && values_.back().first == value.first) values_.pop_back();
    values_.push_back(value);
  }
}

std::optional<double> Series::at(std::int64_t step) const {
  const auto found = std::lower_bound(values_.begin(), values_.end(), std::pair(step, 0.0), kByStep);
  return found != values_.end() && found->first == step ? std::optional(found->second) : std::nullopt;
}

bool Series::has_any(std::int64_t from, std::int64_t to) const {
  const auto found = std::lower_bound(values_.begin(), values_.end(), std::pair(from, 0.0), kByStep);
  return found != values_.end() && found->first <= to;
}

fs::path diag_of(const fs::path& given) {
  std::error_code error;
  if (!fs::exists(given, error))
    throw Error(text("there is no ", given, "; expected a run folder or a diag.jsonl"));
  const fs::path file = fs::is_directory(given, error) ? given / "diag.jsonl" : given;
  if (!fs::is_regular_file(file, error))
    throw Error(
        text(given, " holds no diag.jsonl; expected the folder of one run (of replicas, one seed-N)"));
  return file;
}

Series read_series(const fs::path& diag, const std::string& key) {
  std::vector<std::pair<std::int64_t, double>> values;
  std::vector<std::string> keys;
  for_each_line(diag, [&](std::string_view line, std::uintmax_t, bool whole) {
    const auto step = step_of(line);
    const auto fields = whole && step ? parse_line(line) : std::nullopt;
    if (!fields) return;
    if (keys.empty())
      for (const auto& [name, value] : *fields) keys.push_back(name);
    for (const auto& [name, value] : *fields)
      if (name == key) values.emplace_back(*step, value);
  });
  if (keys.empty()) throw Error(text(diag, " holds no iteration yet; a baseline needs some"));
  if (values.empty()) {
    const auto close = nearest(key, keys);
    throw Error(text(diag, " has no key '", shown(key), "'",
                     close ? text("; did you mean '", *close, "'?") : std::string()));
  }
  return Series(std::move(values));
}

}  // namespace foxhunt::diagnostics
