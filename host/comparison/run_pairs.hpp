#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "interval.hpp"

namespace foxhunt::comparison {

/// Two runs, or the same seeds of two runs, beside each other.
struct MetricPair {
  std::string name;
  std::int64_t first_step = 0;  ///< first iteration, over all pairs, at which the two are not the same number; 0: never
  double a = 0, b = 0;          ///< means over the seeds of what the runs came to (RunResult)
  Interval effect;              ///< of b - a, paired by seed
};
struct RunPairs {
  std::vector<std::string> seeds;  ///< names of the folders compared; one run each: the folders' own
  std::size_t steps = 0;           ///< iterations that both have, of the first pair
  std::int64_t first_step = 0;     ///< first iteration at which any metric differs; 0: none does
  std::vector<std::string> first;  ///< the metrics that differ there
  std::vector<MetricPair> metrics;
};

/// Clock readings are left out. @throws foxhunt::Error if either has no diag.jsonl, or no seed is in both.
RunPairs compare(const std::filesystem::path& a, const std::filesystem::path& b);

/// One line: where the first difference is.
std::string headline(const RunPairs& pairs);
/// A table with a head of the metrics named, or without names of those that differ; the head alone if there are none.
std::vector<std::vector<std::string>> table_of(const RunPairs& pairs, const std::vector<std::string>& metrics = {});

}  // namespace foxhunt::comparison
