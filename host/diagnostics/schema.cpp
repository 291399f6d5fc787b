#include "schema.hpp"

#include <limits>
#include <stdexcept>

#include "common/text.hpp"

namespace foxhunt::diagnostics {

MetricSchema::MetricSchema(std::vector<Metric> metrics) : metrics_(std::move(metrics)) {
  if (metrics_.empty() || metrics_[0].name != "step")
    throw std::logic_error("the first metric must be 'step'");
  const auto add = [&](const std::string& name) {
    if (!places_.emplace(name, names_.size()).second)
      throw std::logic_error(text("two metrics are called '", name, "'"));
  };
  for (std::size_t owner = 0; owner < metrics_.size(); ++owner) {
    const Metric& metric = metrics_[owner];
    add(metric.name);
    if (metric.elements.empty()) {
      names_.push_back(metric.name);
      owners_.push_back(owner);
    }
    for (std::size_t i = 0; i < metric.elements.size(); ++i) {
      add(text(metric.name, '.', i));
      add(text(metric.name, '.', metric.elements[i]));
      names_.push_back(text(metric.name, '.', metric.elements[i]));
      owners_.push_back(owner);
    }
  }
}

std::optional<std::size_t> MetricSchema::find(std::string_view name) const {
  const auto entry = places_.find(name);
  // An array as a whole is no number.
  if (entry == places_.end() ||
      (!metric_of(entry->second).elements.empty() && metric_of(entry->second).name == name))
    return std::nullopt;
  return entry->second;
}

std::size_t MetricSchema::place(std::string_view metric) const {
  const auto entry = places_.find(metric);
  if (entry == places_.end()) throw std::logic_error(text("there is no metric '", metric, "'"));
  return entry->second;
}

Row::Row(const MetricSchema& schema)
    : schema_(&schema), values_(schema.size(), std::numeric_limits<double>::quiet_NaN()) {
  values_[0] = 0;
}

Row& Row::set(std::string_view name, double value) {
  values_[schema_->place(name)] = value;
  return *this;
}

Row& Row::set(std::string_view array, std::span<const double> values) {
  const std::size_t first = schema_->place(array);
  if (schema_->metric_of(first).elements.size() != values.size())
    throw std::logic_error(text("the metric '", array, "' has another number of elements"));
  for (std::size_t i = 0; i < values.size(); ++i) values_[first + i] = values[i];
  return *this;
}

double Row::get(std::string_view name) const { return values_[schema_->place(name)]; }

std::string help(const MetricSchema& schema) {
  std::string result;
  for (const Metric& metric : schema.metrics()) {
    std::string line =
        text("  ", metric.name, metric.elements.empty() ? "" : text('[', metric.elements.size(), ']'));
    line.append(line.size() < 28 ? 28 - line.size() : 1, ' ');
    line += metric.unit;
    line.append(line.size() < 42 ? 42 - line.size() : 1, ' ');
    result += text(line, metric.help, '\n');
  }
  return result;
}

}  // namespace foxhunt::diagnostics
