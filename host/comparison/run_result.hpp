#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace foxhunt::comparison {

/// What a run came to: for every column of its diag.jsonl the mean over the last tenth of its iterations, and
/// `share_of_optimum` and `test_pnl_ticks` (a step) of its test part, where it has one.
struct RunResult {
  std::map<std::string, double> values;
  std::string verdict;    ///< "passed", …; "unfinished" if there is none
  std::size_t iterations = 0;
  /// NaN where there is no such value.
  double get(const std::string& name) const;
};
/// @throws foxhunt::Error if the folder holds no diag.jsonl.
RunResult result_of(const std::filesystem::path& run);

/// The seeds of a run of several (`seed-1`, …, by number), or the run itself.
std::vector<std::filesystem::path> seeds_of(const std::filesystem::path& run);

}  // namespace foxhunt::comparison
