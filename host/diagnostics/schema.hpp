#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt::diagnostics {

/// One key of diag.jsonl.
struct Metric {
  std::string name;
  std::string unit;  ///< empty: none
  std::string help;
  std::string look_at;                ///< what to look at when a gate on it fires; may be empty
  bool integer = false;               ///< written without a fraction
  bool finite = false;                ///< NaN or infinite here is never right: the gate nan_abort looks at it
  bool update_ratio = false;          ///< how far tensors moved: 0 is one that did not, see op `changes`
  std::vector<std::string> elements;  ///< names of the elements of an array; empty: a number
};

/// All keys of a diag.jsonl in their order. Values of a row are flat: an array takes one place an element.
class MetricSchema {
 public:
  /// The first metric must be "step". @throws std::logic_error on a name that comes twice.
  explicit MetricSchema(std::vector<Metric> metrics);

  const std::vector<Metric>& metrics() const { return metrics_; }
  std::size_t size() const { return names_.size(); }  ///< places in a row
  /// Place of "entropy", "action_hist.hold" or "action_hist.3".
  std::optional<std::size_t> find(std::string_view name) const;
  /// First place of a metric. @throws std::logic_error if there is none.
  std::size_t place(std::string_view metric) const;
  const std::string& name_of(std::size_t place) const { return names_[place]; }  ///< "action_hist.hold"
  const Metric& metric_of(std::size_t place) const { return metrics_[owners_[place]]; }
  /// What find() knows, for suggestions.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<Metric> metrics_;
  std::vector<std::string> names_;   // by place
  std::vector<std::size_t> owners_;  // by place
  std::map<std::string, std::size_t, std::less<>> places_;
};

/// The metrics of one iteration. What was never set is NaN, and reads so in diag.jsonl. The schema must
/// outlive its rows.
class Row {
 public:
  explicit Row(const MetricSchema& schema);

  Row& set(std::string_view name, double value);  ///< @throws std::logic_error for an unknown name
  Row& set(std::string_view array, std::span<const double> values);
  double get(std::string_view name) const;
  double at(std::size_t place) const { return values_[place]; }
  void put(std::size_t place, double value) { values_[place] = value; }
  std::int64_t step() const { return static_cast<std::int64_t>(values_[0]); }
  const MetricSchema& schema() const { return *schema_; }

  /// Dataset of the first tensor in which a NaN or infinity was seen; empty: none. Not part of diag.jsonl.
  std::string bad_tensor;

 private:
  const MetricSchema* schema_;
  std::vector<double> values_;
};

/// A head, as far as the metrics care.
struct HeadMetrics {
  std::string name;          ///< the instance's
  bool log_probs = false;    ///< a categorical distribution: mass on the edge atoms
  bool state_value = false;  ///< V and A apart
  bool expected_q = true;    ///< a Q of each action: agreement with the policy, Q of the action taken
  bool returns = false;      ///< what its Q says of states is held against the returns that V learns from
};

/// The schema of a training run (design of the record; see the help of each metric).
/// @param actions names of the N actions, for action_hist
/// @param trades  the actions are orders: metrics of trading, else the mean return of episodes
/// @param tensors names of the tensors of encoder, policy, value and each head, for update_ratio_GROUP; a group
///   that is not there has none
/// @param features names of those that the encoder weighs, for feature_weight; none: it weighs none
MetricSchema training_schema(const std::vector<HeadMetrics>& heads, const std::vector<std::string>& actions,
                             bool trades = true, const std::map<std::string, std::vector<std::string>>& tensors = {},
                             const std::vector<std::string>& features = {});

/// The schema as a file beside diag.jsonl, for whoever reads it: {"metrics": [{name, unit, help, …}]}.
void write_schema(const std::filesystem::path& path, const MetricSchema& schema);
/// Nothing if there is no such file, or it cannot be read back.
std::optional<MetricSchema> read_schema(const std::filesystem::path& path);

/// Table of all metrics with unit and meaning.
std::string help(const MetricSchema& schema);

}  // namespace foxhunt::diagnostics
