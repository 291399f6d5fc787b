#include "json_lines.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "common/text.hpp"

namespace foxhunt::diagnostics {

namespace {

void put(std::string& line, double value, bool integer) {
  if (!std::isfinite(value)) {
    line += text('"', std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf", '"');
  } else if (integer && std::fabs(value) < 9.2e18) {
    line += text(static_cast<std::int64_t>(value));
  } else {
    // Readers take "-0" for an integer and lose its sign.
    line += value == 0 && std::signbit(value) ? "-0.0" : text(value);
  }
}

std::optional<double> number(const nlohmann::ordered_json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& word = value.get_ref<const std::string&>();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

}  // namespace

std::string to_line(const Row& row) {
  std::string line = "{";
  std::size_t place = 0;
  for (const Metric& metric : row.schema().metrics()) {
    line += text(place == 0 ? "" : ",", '"', metric.name, "\":");
    if (metric.elements.empty()) {
      put(line, row.at(place++), metric.integer);
      continue;
    }
    for (std::size_t i = 0; i < metric.elements.size(); ++i) {
      line += i == 0 ? '[' : ',';
      put(line, row.at(place++), metric.integer);
    }
    line += ']';
  }
  return line += "}\n";
}

std::optional<Fields> parse_line(std::string_view line) {
  const auto object = nlohmann::ordered_json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::nullopt;
  Fields fields;
  for (const auto& [key, value] : object.items()) {
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i)
        fields.emplace_back(text(key, '.', i),
                            number(value[i]).value_or(std::numeric_limits<double>::quiet_NaN()));
    } else if (const auto simple = number(value)) {
      fields.emplace_back(key, *simple);
    }
  }
  return fields;
}

std::optional<std::int64_t> step_of(std::string_view line) {
  constexpr std::string_view kBegin = "{\"step\":";
  line = trim(line);
  if (!line.starts_with(kBegin) || !line.ends_with('}')) return std::nullopt;
  line.remove_prefix(kBegin.size());
  return to_integer(line.substr(0, line.find_first_of(",}")));
}

}  // namespace foxhunt::diagnostics
