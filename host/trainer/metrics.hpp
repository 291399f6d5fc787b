#pragma once
#include "../diagnostics/schema.hpp"
#include "session.hpp"

namespace foxhunt::trainer {

/// Turns the sums that an iteration left on the device into the metrics of diag.jsonl. Its averages are part of
/// the session's host state, so a resumed run continues them.
class MetricsReader {
 public:
  /// Registers its host state: make it before a state is restored.
  explicit MetricsReader(Session& session);

  const diagnostics::MetricSchema& schema() const { return schema_; }
  /// Metrics of iteration `iteration` (0 is the first), which must be done on the device. Call once each, in
  /// order. Wall time and rate are the caller's to set.
  diagnostics::Row read(int64_t iteration);

 private:
  double average(const std::string& path, double value);
  /// Where a record holds the values of a group's tensors.
  struct Tensors {
    const agent::ParameterGroup& group;
    const double *gradient_squares, *weight_squares, *update_ratios;
  };
  void tensor_metrics(diagnostics::Row& row, const Tensors& tensors, const std::vector<std::string>& sections);
  void trading_metrics(diagnostics::Row& row, const double* totals);
  void main_metrics(diagnostics::Row& row, const double* sums);
  void head_metrics(diagnostics::Row& row, const Head& head, const double* sums, uint64_t run);

  Session& session_;
  diagnostics::MetricSchema schema_;
};

}  // namespace foxhunt::trainer
