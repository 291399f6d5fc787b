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
  std::optional<std::filesystem::path> fork_from;     ///< checkpoint whose whole state it begins from, as far as it fits; of
                                                      ///< several seeds the folder of a run with the same
  std::optional<std::filesystem::path> fills;         ///< CSV of every fill; slows training down
};

/// The main job: trains, writes the run folder (config.ini, diag.jsonl, provenance.json, summary.json,
/// equity.csv, verdict.json, checkpoints/), evaluates on the test part, prints the summary; the last line on standard output
/// is run folder, steps/s and verdict. SIGINT and SIGTERM end it after the running iteration with a checkpoint.
diagnostics::ExitCode train(const TrainRequest& request);

/// The same for several seeds side by side on one device, so that a device is filled by seeds when one run is
/// small. Each has the bits that it would have alone, and a run folder of its own, `seed-N`, in the request's folder
/// (which holds the common config.ini); one that a gate stops does not stop the rest. `replicas`: the request's
/// configuration with trainer.replicas = 1 and a seed of its own. With `resume` each goes on from where it was.
/// @return the worst of theirs: error, interrupted, aborted, failed, passed
diagnostics::ExitCode train_side_by_side(const TrainRequest& request, const std::vector<config::Config>& replicas);

struct EvalRequest {
  const config::Config& config;
  plugins::Registry& plugins;
  std::filesystem::path checkpoint;
  std::string part = "test";                   ///< "validation" or "test"
  std::optional<std::filesystem::path> fills;  ///< CSV of every fill
  std::optional<std::filesystem::path> equity;  ///< CSV of the equity curve
};
/// Evaluates a checkpoint and prints the summary on standard output.
void evaluate(const EvalRequest& request);

}  // namespace foxhunt::trainer
