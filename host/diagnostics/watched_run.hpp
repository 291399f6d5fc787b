#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diag_tail.hpp"
#include "gates.hpp"
#include "verdict.hpp"

namespace foxhunt::diagnostics {

/// A run seen from outside, by what is in its folder: running, ended or left behind by a process that died.
class WatchedRun {
 public:
  /// @param run run folder, or a diag.jsonl alone
  /// @param metrics those to keep; ones that the run does not have are passed over
  WatchedRun(const std::filesystem::path& run, std::vector<std::string> metrics);

  /// Reads what is new. True if something is.
  bool poll();

  struct Column {
    std::string name;
    std::vector<double> values;  ///< one an iteration, in order
  };
  /// A gate and how the last row it looked at stood to it. One that cannot be read has a sentence instead.
  struct GateState {
    std::string name, condition, trouble;
    Action action = Action::warn;
    std::int64_t sustained = 1;
    std::string metric;                        ///< of the reading; empty: many, and all is well
    std::optional<Gate::Reading> reading;      ///< nothing: not looked at yet
    std::optional<std::int64_t> first_firing;  ///< step
  };

  std::string name() const;  ///< "default-0001"; of a file its folder's
  std::int64_t step() const { return step_; }
  std::int64_t total() const { return total_; }  ///< iterations asked for; 0: not known
  double wall_s() const { return wall_s_; }      ///< of the run; NaN: not known
  double steps_per_s() const { return rate_; }   ///< account steps
  double eta_s() const;                          ///< NaN: not known
  /// Since diag.jsonl last grew; NaN if there is none yet.
  double silent_s() const;
  /// Longer without a line than this run's iterations take: it is stopped, or the process died.
  bool is_silent() const;
  const std::optional<VerdictFile>& verdict() const { return verdict_; }

  /// Nothing before the first row.
  const std::optional<MetricSchema>& schema() const { return schema_; }
  const std::vector<Column>& columns() const { return columns_; }
  const Column* column(std::string_view metric) const;
  const std::vector<GateState>& gates() const { return gates_; }

 private:
  void read_config();
  void make_schema(const Fields& first);
  void begin_gates();
  void take(std::int64_t step, const Fields& fields);
  double seconds_per_iteration() const;

  std::filesystem::path folder_;  // empty: a file alone
  DiagTail tail_;
  std::vector<std::string> wanted_;
  std::vector<config::GateSettings> settings_;
  std::optional<MetricSchema> schema_;
  std::vector<std::optional<Gate>> asked_;  // beside gates_; nothing: in trouble
  std::vector<GateState> gates_;
  std::vector<Column> columns_;
  std::vector<double> walls_;  // wall_s of the last rows
  std::optional<VerdictFile> verdict_;
  std::int64_t step_ = 0, total_ = 0;
  double wall_s_, rate_;
  std::filesystem::file_time_type config_written_{};
};

}  // namespace foxhunt::diagnostics
