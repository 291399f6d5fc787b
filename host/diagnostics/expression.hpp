#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "schema.hpp"

namespace foxhunt::diagnostics {

/// What a gate compares with: factor * source + offset. A number has no source; the source is a metric of the
/// same row. (A value of a baseline run at the same step is the form's third source, not offered yet.)
struct Expression {
  enum class Source { none, metric };
  Source source = Source::none;
  std::size_t place = 0;  ///< of the metric
  double factor = 0;
  double offset = 0;
  std::string written;  ///< for messages

  double value(const Row& row) const {
    return (source == Source::metric ? factor * row.at(place) : 0) + offset;
  }
};

/// "-0.3", "l_q", "100 * l_q", "l_q * 100", the cross × for *.
/// @throws Error "expected …" without naming the gate.
Expression parse_expression(std::string_view written, const MetricSchema& schema);

/// Place of a metric. @throws Error naming the nearest one.
std::size_t parse_metric(std::string_view name, const MetricSchema& schema);

}  // namespace foxhunt::diagnostics
