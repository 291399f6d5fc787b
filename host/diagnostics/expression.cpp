#include "expression.hpp"

#include <cmath>
#include <foxhunt/error.hpp>

#include "common/text.hpp"

namespace foxhunt::diagnostics {

std::size_t parse_metric(std::string_view name, const MetricSchema& schema) {
  if (const auto place = schema.find(name)) return *place;
  const auto close = nearest(name, schema.names());
  throw Error(text("there is no metric '", shown(name), "'",
                   close ? text("; did you mean '", *close, "'?") : "; the keys of diag.jsonl are metrics"));
}

Expression parse_expression(std::string_view written, const MetricSchema& schema) {
  std::string plain(trim(written));
  for (std::size_t at; (at = plain.find("×")) != std::string::npos;) {  // two bytes of UTF-8
    plain[at] = '*';
    plain.erase(at + 1, 1);
  }
  Expression result{.written = plain};
  const auto number = [](std::string_view word) {
    const auto value = to_real(word);
    return value && std::isfinite(*value) ? value : std::nullopt;
  };
  if (const auto value = number(plain)) {
    result.offset = *value;
    return result;
  }
  if (plain.find("baseline") != std::string::npos)
    throw Error(text("'", shown(plain),
                     "': gates against a baseline run are not built into this version; expected a number or "
                     "`factor * metric`"));
  const std::vector<std::string> factors = split(plain, '*');
  result.source = Expression::Source::metric;
  result.factor = 1;
  bool has_metric = false;
  for (const std::string& factor : factors) {
    if (const auto value = number(factor)) {
      result.factor *= *value;
    } else if (has_metric || factor.empty()) {
      throw Error(text("expected a number or `factor * metric`, got '", shown(plain), "'"));
    } else {
      result.place = parse_metric(factor, schema);
      has_metric = true;
    }
  }
  if (!has_metric) throw Error(text("expected a number or `factor * metric`, got '", shown(plain), "'"));
  return result;
}

}  // namespace foxhunt::diagnostics
