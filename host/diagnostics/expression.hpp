#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baseline.hpp"
#include "schema.hpp"

namespace foxhunt::diagnostics {

/// What a gate compares with: a sum of numbers, metrics of the same row and metrics of a baseline run at the
/// same step, the metrics with constant factors.
class Expression {
 public:
  /// What the names in it mean.
  struct Names {
    const MetricSchema& schema;
    std::string metric;              ///< the gate's own: what `baseline` alone stands for
    std::filesystem::path baseline;  ///< run folder or diag.jsonl; empty: none
  };
  /// "-0.3", "l_q", "100 * l_q", "baseline - 5e6", "100 * baseline.l_q"; also with × and the long minus sign.
  /// @throws Error "expected …" without naming the gate.
  Expression(std::string_view written, const Names& names);

  /// Nothing at a step that the baseline does not have.
  std::optional<double> value(const Row& row) const;

  bool is_number() const { return metrics_.empty() && baselines_.empty(); }
  double constant() const { return constant_; }
  const std::string& written() const { return written_; }
  /// What it takes from the baseline.
  std::vector<const Series*> baselines() const;

 private:
  class Parser;
  struct OfRow {
    double factor;
    std::size_t place;
  };
  struct OfBaseline {
    double factor;
    std::shared_ptr<const Series> series;  // shared by copies
  };
  double constant_ = 0;
  std::vector<OfRow> metrics_;
  std::vector<OfBaseline> baselines_;
  std::string written_;
};

/// Place of a metric. @throws Error naming the nearest one.
std::size_t parse_metric(std::string_view name, const MetricSchema& schema);

}  // namespace foxhunt::diagnostics
