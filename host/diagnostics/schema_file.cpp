#include <stdexcept>

#include "common/files.hpp"
#include "document.hpp"
#include "schema.hpp"

namespace foxhunt::diagnostics {

namespace fs = std::filesystem;

void write_schema(const fs::path& path, const MetricSchema& schema) {
  std::vector<Document> metrics;
  for (const Metric& metric : schema.metrics()) {
    Document entry;
    entry.add("name", metric.name).add("unit", metric.unit).add("help", metric.help);
    if (!metric.look_at.empty()) entry.add("look_at", metric.look_at);
    if (metric.integer) entry.add("integer", true);
    if (metric.finite) entry.add("always_finite", true);
    if (metric.update_ratio) entry.add("update_ratio", true);
    if (!metric.elements.empty()) entry.add("elements", metric.elements);
    metrics.push_back(std::move(entry));
  }
  Document().add("metrics", metrics).write(path);
}

std::optional<MetricSchema> read_schema(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  const auto document = Document::parse(read_file(path, 64 << 20));
  if (!document) return std::nullopt;
  std::vector<Metric> metrics;
  for (const Document& entry : document->objects("metrics"))
    metrics.push_back({.name = entry.text("name").value_or(""),
                       .unit = entry.text("unit").value_or(""),
                       .help = entry.text("help").value_or(""),
                       .look_at = entry.text("look_at").value_or(""),
                       .integer = entry.flag("integer"),
                       .finite = entry.flag("always_finite"),
                       .update_ratio = entry.flag("update_ratio"),
                       .elements = entry.texts("elements")});
  try {
    return MetricSchema(std::move(metrics));
  } catch (const std::logic_error&) {  // names twice, or none: written by something else
    return std::nullopt;
  }
}

}  // namespace foxhunt::diagnostics
