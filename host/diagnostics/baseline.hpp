#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foxhunt::diagnostics {

/// One metric of another run, by iteration.
class Series {
 public:
  explicit Series(std::vector<std::pair<std::int64_t, double>> values);

  /// Nothing where the run has no such iteration: it ended earlier, or lost lines. Never a neighbour's value.
  std::optional<double> at(std::int64_t step) const;
  bool has_any(std::int64_t from, std::int64_t to) const;  ///< both ends included
  std::int64_t last_step() const { return values_.empty() ? 0 : values_.back().first; }

 private:
  std::vector<std::pair<std::int64_t, double>> values_;  // by step, each once
};

/// The diag.jsonl of a run folder, or the file itself.
/// @throws Error naming what was given if there is none.
std::filesystem::path diag_of(const std::filesystem::path& run_or_file);

/// @param key as in the file: "l_q"; of an array "action_hist.3"
/// @throws Error naming file and key if no line has it, with the nearest key there is.
Series read_series(const std::filesystem::path& diag, const std::string& key);

}  // namespace foxhunt::diagnostics
