#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace foxhunt::comparison {

/// One rung: a configuration, and what is said of it before it runs.
struct Rung {
  std::string name;
  std::filesystem::path config;
  std::string record;  ///< what is claimed of it
  std::string metric;  ///< what the claim is about: a column of diag.jsonl, or share_of_optimum; empty: nothing is expected
  char sign = 0;       ///< of (rung - baseline) of that metric: '-', '0' or '+'
};

/// A list of configurations that are run with the same seeds and held against one of them.
struct Ladder {
  std::string baseline;
  std::int64_t seeds = 5;
  std::vector<std::string> settings;  ///< for all: "--trainer.iterations", "2000", …
  std::vector<Rung> rungs;            ///< the baseline first
  const Rung* find(const std::string& name) const;
};

/// Reads experiments/ladder.ini and its like: section [sweep] with baseline, seeds and settings, then a section a rung with
/// config (relative to the file), record, metric and sign.
/// @throws foxhunt::Error naming file and line.
Ladder read_ladder(const std::filesystem::path& file);

}  // namespace foxhunt::comparison
