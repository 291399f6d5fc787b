#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "../config/config.hpp"
#include "../diagnostics/verdict.hpp"
#include "../plugins/registry.hpp"

namespace foxhunt::trainer {

struct TrainRequest {
  const config::Config& config;
  plugins::Registry& plugins;
  std::vector<std::string> command;                   ///< argv, for provenance.json
  std::string name = "default";                       ///< stem of new run folders: runs/<name>-0001
  std::optional<std::filesystem::path> folder;        ///< run folder instead
  std::optional<std::filesystem::path> resume;        ///< run folder to continue
  std::optional<std::filesystem::path> init_from;     ///< checkpoint to take weights from
  std::optional<std::filesystem::path> fills;         ///< CSV of every fill; slows training down
};

/// The main job: trains, writes the run folder (config.ini, diag.jsonl, provenance.json, summary.json,
/// verdict.json, checkpoints/), evaluates on the test part, prints the summary; the last line on standard output
/// is run folder, steps/s and verdict. SIGINT and SIGTERM end it after the running iteration with a checkpoint.
diagnostics::ExitCode train(const TrainRequest& request);

struct EvalRequest {
  const config::Config& config;
  plugins::Registry& plugins;
  std::filesystem::path checkpoint;
  std::string part = "test";                   ///< "validation" or "test"
  std::optional<std::filesystem::path> fills;  ///< CSV of every fill
};
/// Evaluates a checkpoint and prints the summary on standard output.
void evaluate(const EvalRequest& request);

}  // namespace foxhunt::trainer
