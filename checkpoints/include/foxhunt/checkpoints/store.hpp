#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <foxhunt/checkpoints/tensor.hpp>

namespace foxhunt::checkpoints {

struct StoreOptions {
  std::size_t keep_last = 0;  ///< how many step files stay; 0 keeps all
  std::string best_metric;    ///< name of the metric that `best.h5` follows; empty: there is no `best.h5`
  bool best_is_highest = true;
  bool hard_links = true;  ///< false: `latest.h5` and `best.h5` are always copies
};

struct Saved {
  std::filesystem::path file;
  std::uint64_t bytes = 0;
  bool best = false;                               ///< `best.h5` is now this checkpoint
  std::vector<std::filesystem::path> not_removed;  ///< old checkpoints that should have gone but could not
};

struct StoredStep {
  std::uint64_t step = 0;
  std::filesystem::path file;
};

/// The checkpoints folder of a run: `step-NNNNNNNNN.h5`, `latest.h5`, `best.h5`.
/// A process killed at any instant leaves `latest.h5` whole. One store per folder at a time.
class Store {
 public:
  explicit Store(std::filesystem::path folder, StoreOptions options = {});

  /// Writes step file, `latest.h5` and, where `metric` beats the best so far, `best.h5`; then removes what
  /// keep_last no longer covers: of the step files up to `step` the newest keep_last stay. Later steps (of a
  /// run that was set back) and files of other names are never touched. Creates the folder. Removes temporary
  /// files that killed writers left. The metric is stored as `/meta` attributes `best_metric`,
  /// `best_metric_value`, so that the best so far survives a resume; NaN is never best. Error if anything
  /// could not be written; the previous checkpoint is whole then.
  Saved save(std::uint64_t step, Checkpoint content, std::optional<double> metric = std::nullopt);

  /// The step files, oldest step first.
  std::vector<StoredStep> steps() const;
  /// `latest.h5`, or the newest step file where that link is missing; empty if there is none.
  std::optional<std::filesystem::path> latest() const;

  static std::string file_name(std::uint64_t step);

 private:
  bool beats_best(double metric) const;

  std::filesystem::path folder_;
  StoreOptions options_;
};

}  // namespace foxhunt::checkpoints
