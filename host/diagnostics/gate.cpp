#include "gate.hpp"

#include <array>
#include <cmath>
#include <foxhunt/error.hpp>
#include <limits>

#include "common/text.hpp"

namespace foxhunt::diagnostics {

namespace {

/// Adds to an Error which gate and field it speaks of.
template <class Work>
auto naming(const config::GateSettings& gate, const char* field, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(text(gate.origin, ": gate.", gate.name, '.', field, ": ", error.what()));
  }
}

template <std::size_t N>
std::size_t index_of(std::string_view word, const std::array<std::string_view, N>& choices) {
  for (std::size_t i = 0; i < N; ++i)
    if (choices[i] == word) return i;
  std::string all;
  for (const auto choice : choices) all += text(all.empty() ? "" : ", ", choice);
  throw Error(text("expected one of ", all, ", got '", shown(word), "'"));
}

constexpr std::array<std::string_view, 6> kOps{"<", "<=", ">", ">=", "in", "finite"};
constexpr std::array<std::string_view, 3> kActions{"warn", "fail_at_end", "abort"};

/// "[a, b]"
std::vector<Expression> parse_band(std::string_view value, const MetricSchema& schema) {
  value = trim(value);
  const bool brackets = value.size() >= 2 && value.front() == '[' && value.back() == ']';
  const std::vector<std::string> ends =
      brackets ? split(value.substr(1, value.size() - 2), ',') : std::vector<std::string>();
  if (ends.size() != 2) throw Error(text("expected [a, b] with a <= b, got '", shown(value), "'"));
  std::vector<Expression> band{parse_expression(ends[0], schema), parse_expression(ends[1], schema)};
  const bool numbers =
      band[0].source == Expression::Source::none && band[1].source == Expression::Source::none;
  if (numbers && band[0].offset > band[1].offset)
    throw Error(text("expected [a, b] with a <= b, got '", shown(value), "'"));
  return band;
}

}  // namespace

std::string to_text(Action action) { return std::string(kActions[static_cast<std::size_t>(action)]); }

Gate::Gate(const config::GateSettings& settings, const MetricSchema& schema)
    : name(settings.name),
      from(settings.from),
      to(settings.to),
      sustained(settings.sustained),
      op_text_(settings.op),
      metric_(settings.metric) {
  op_ = naming(settings, "op", [&] { return static_cast<Op>(index_of(settings.op, kOps)); });
  action =
      naming(settings, "action", [&] { return static_cast<Action>(index_of(settings.action, kActions)); });
  naming(settings, "baseline", [&] {
    if (!settings.baseline.empty())
      throw Error("gates against a baseline run are not built into this version; remove the line");
  });
  naming(settings, "to", [&] {
    if (to != 0 && to < from) throw Error(text("is before `from` (", from, ")"));
    // A range shorter than `for` is a gate that can never fire.
    if (to != 0 && to - from + 1 < sustained)
      throw Error(text("the range from ", from, " to ", to, " is shorter than for = ", sustained));
  });
  naming(settings, "metric", [&] {
    if (op_ == Op::finite && settings.metric == "all") {
      for (std::size_t place = 0; place < schema.size(); ++place)
        if (schema.metric_of(place).finite) places_.push_back(place);
    } else {
      places_ = {parse_metric(settings.metric, schema)};
    }
  });
  naming(settings, "value", [&] {
    if (op_ == Op::in) {
      limits_ = parse_band(settings.value, schema);
    } else if (op_ != Op::finite) {
      limits_ = {parse_expression(settings.value, schema)};
    }
  });
}

bool Gate::breaks(double value, const Row& row, double& limit) const {
  limit = limits_.empty() ? std::numeric_limits<double>::quiet_NaN() : limits_[0].value(row);
  if (!std::isfinite(value)) return true;
  if (op_ == Op::finite) return false;
  const double upper = op_ == Op::in ? limits_[1].value(row) : limit;
  if (!std::isfinite(limit) || !std::isfinite(upper)) return true;
  switch (op_) {
    case Op::less:
      return value < limit;
    case Op::less_equal:
      return value <= limit;
    case Op::greater:
      return value > limit;
    case Op::greater_equal:
      return value >= limit;
    default:
      break;
  }
  if (value > upper) limit = upper;
  return value < limit || value > upper;
}

std::optional<Gate::Breach> Gate::breached_by(const Row& row) const {
  for (const std::size_t place : places_) {
    double limit = 0;
    if (breaks(row.at(place), row, limit)) return Breach{place, row.at(place), limit};
  }
  return std::nullopt;
}

std::string Gate::condition() const {
  std::string result;
  if (op_ == Op::finite) {
    result = text(metric_ == "all" ? "any loss, norm or entropy" : metric_, " is NaN or infinite");
  } else if (op_ == Op::in) {
    result = text(metric_, " outside of [", limits_[0].written, ", ", limits_[1].written, ']');
  } else {
    result = text(metric_, ' ', op_text_, ' ', limits_[0].written);
  }
  if (sustained > 1) result += text(" for ", sustained, " iterations in a row");
  if (from > 0) result += text(", from step ", from);
  if (to > 0) result += text(from > 0 ? "" : ",", " to step ", to);
  return result;
}

}  // namespace foxhunt::diagnostics
