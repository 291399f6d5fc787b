#include "gate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <foxhunt/error.hpp>
#include <limits>

#include "common/text.hpp"

namespace foxhunt::diagnostics {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLongestWindow = 1 << 20;

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

constexpr std::array<std::string_view, 9> kOps{"<",      "<=",         ">",          ">=",     "in",
                                               "finite", "decreasing", "increasing", "changes"};
constexpr std::array<std::string_view, 3> kActions{"warn", "fail_at_end", "abort"};

/// "[a, b]"
std::vector<Expression> parse_band(std::string_view value, const Expression::Names& names) {
  value = trim(value);
  const bool brackets = value.size() >= 2 && value.front() == '[' && value.back() == ']';
  const std::vector<std::string> ends =
      brackets ? split(value.substr(1, value.size() - 2), ',') : std::vector<std::string>();
  if (ends.size() != 2) throw Error(text("expected [a, b] with a <= b, got '", shown(value), "'"));
  std::vector<Expression> band{Expression(ends[0], names), Expression(ends[1], names)};
  if (band[0].is_number() && band[1].is_number() && band[0].constant() > band[1].constant())
    throw Error(text("expected [a, b] with a <= b, got '", shown(value), "'"));
  return band;
}

/// "1000" or "over 1000"
std::size_t parse_window(std::string_view value) {
  std::string_view number = trim(value);
  if (number.starts_with("over ")) number.remove_prefix(5);
  const auto rows = to_integer(trim(number));
  if (!rows || *rows < 2 || *rows > kLongestWindow)
    throw Error(text("expected `over N`, with N from 2 to ", kLongestWindow, " iterations, got '",
                     shown(value), "'"));
  return static_cast<std::size_t>(*rows);
}

/// Change over the window of the least-squares line through its values; NaN if one of them is no number.
double fitted_change(const std::deque<double>& window) {
  const double n = static_cast<double>(window.size()), middle = (n - 1) / 2;
  double sum = 0, at = -middle;
  for (const double value : window) sum += at++ * value;
  const double squares = n * (n * n - 1) / 12;
  return sum / squares * (n - 1);
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
  naming(settings, "metric", [&] {
    for (const std::size_t place : places_of(metric_, schema)) elements_.push_back({.place = place});
  });
  naming(settings, "value", [&] { parse_value(settings, schema); });
  naming(settings, "to", [&] { check_range(); });
  naming(settings, "baseline", [&] { check_baseline(settings); });
}

std::vector<std::size_t> Gate::places_of(const std::string& metric, const MetricSchema& schema) const {
  std::vector<std::size_t> places;
  const bool all = metric == "all" && (op_ == Op::finite || op_ == Op::changes);
  for (std::size_t place = 0; place < schema.size(); ++place) {
    const Metric& owner = schema.metric_of(place);
    const bool meant = op_ == Op::finite ? owner.finite : owner.update_ratio;
    if (all ? meant : !owner.elements.empty() && owner.name == metric) places.push_back(place);
  }
  if (places.empty()) places = {parse_metric(metric, schema)};
  if (op_ == Op::changes && !schema.metric_of(places[0]).update_ratio)
    throw Error(text("`changes` looks at update_ratio_GROUP, update_ratio_GROUP.TENSOR or all, got '",
                     shown(metric), "'"));
  return places;
}

void Gate::parse_value(const config::GateSettings& settings, const MetricSchema& schema) {
  const Expression::Names names{schema, metric_, settings.baseline};
  if (op_ == Op::in) {
    limits_ = parse_band(settings.value, names);
  } else if (is_trend()) {
    window_ = parse_window(settings.value);
  } else if (op_ != Op::finite && op_ != Op::changes) {
    limits_ = {Expression(settings.value, names)};
  }
}

void Gate::check_range() const {
  if (to == 0) return;
  if (to < from) throw Error(text("is before `from` (", from, ")"));
  // Steps begin with 1. A range that is too short is a gate that can never fire.
  const std::int64_t rows = to - std::max<std::int64_t>(from, 1) + 1,
                     needed = sustained + static_cast<std::int64_t>(window_) - 1;
  if (rows < needed)
    throw Error(text(
        "the range from ", from, " to ", to, " is shorter than ",
        is_trend() ? text("a window of ", window_, " and for = ", sustained) : text("for = ", sustained)));
}

std::vector<const Series*> Gate::baselines() const {
  std::vector<const Series*> all;
  for (const Expression& limit : limits_)
    for (const Series* series : limit.baselines()) all.push_back(series);
  return all;
}

void Gate::check_baseline(const config::GateSettings& settings) const {
  const std::vector<const Series*> all = baselines();
  if (!settings.baseline.empty() && all.empty())
    throw Error("the gate's value does not use it; write for example value = baseline - 5e6");
  for (const Series* series : all)
    if (!series->has_any(from, to == 0 ? kNoEnd : to))
      throw Error(text(settings.baseline, " ends with iteration ", series->last_step(),
                       " and has none that the gate looks at (from ", from,
                       to == 0 ? std::string() : text(" to ", to), ")"));
}

std::optional<std::int64_t> Gate::baseline_end() const {
  std::optional<std::int64_t> end;
  for (const Series* series : baselines()) end = std::min(end.value_or(kNoEnd), series->last_step());
  return end;
}

std::optional<Gate::Reading> Gate::read(Element& element, const Row& row) const {
  const double value = row.at(element.place);
  Reading reading{.place = element.place, .value = value, .limit = kNone, .margin = kNone};
  if (is_trend()) {
    element.window.push_back(value);
    if (element.window.size() > window_) element.window.pop_front();
    if (std::isfinite(value)) {
      if (element.window.size() < window_) return std::nullopt;
      reading.value = fitted_change(element.window);
      reading.limit = 0;
      reading.margin = op_ == Op::decreasing ? -reading.value : reading.value;
    }
    return reading;
  }
  if (limits_.empty()) {
    if (op_ == Op::changes) reading.limit = 0, reading.margin = value;
    return reading;
  }
  const auto first = limits_.front().value(row), second = limits_.back().value(row);
  if (!first || !second) return std::nullopt;
  reading.limit = *first;
  if (op_ == Op::in) {
    const bool near_upper = !(value - *first < *second - value);
    if (near_upper) reading.limit = *second;
    reading.margin = near_upper ? *second - value : value - *first;
    // A band whose ends crossed over, or are no numbers, holds nothing.
    if (*first > *second) reading.margin = std::min(reading.margin, *second - *first);
    if (!std::isfinite(*first)) reading.limit = *first;
  } else {
    reading.margin = op_ == Op::less || op_ == Op::less_equal ? value - *first : *first - value;
  }
  return reading;
}

std::optional<Gate::Reading> Gate::look(const Row& row) {
  const auto breaches = [&](const Reading& r) {
    if (op_ == Op::finite) return !std::isfinite(r.value);
    if (!std::isfinite(r.value) || !std::isfinite(r.limit)) return true;
    // At the limit itself: `<`, `>` and a band hold, the others do not.
    return op_ == Op::less || op_ == Op::greater || op_ == Op::in ? r.margin < 0 : r.margin <= 0;
  };
  const auto nearer = [](const Reading& a, const Reading& b) {
    return a.streak != b.streak ? a.streak > b.streak : a.margin < b.margin;
  };
  const bool inside = covers(row.step());
  std::optional<Reading> nearest;
  std::int64_t longest = 0;
  for (Element& element : elements_) {
    std::optional<Reading> reading = inside ? read(element, row) : std::nullopt;
    if (!inside) element.window.clear();
    element.streak = reading && breaches(*reading) ? element.streak + 1 : 0;
    longest = std::max(longest, element.streak);
    if (!reading) continue;
    reading->streak = element.streak;
    if (!nearest || nearer(*reading, *nearest)) nearest = reading;
  }
  if (nearest) nearest->fires = longest >= sustained && longest_ < sustained;
  longest_ = longest;
  return nearest;
}

std::string Gate::condition() const {
  std::string result;
  switch (op_) {
    case Op::finite:
      result = text(metric_ == "all" ? "any loss, norm or entropy" : metric_, " is NaN or infinite");
      break;
    case Op::in:
      result = text(metric_, " outside of [", limits_[0].written(), ", ", limits_[1].written(), ']');
      break;
    case Op::decreasing:
    case Op::increasing:
      result = text(metric_, " not ", op_text_, " over ", window_, " iterations");
      break;
    case Op::changes:
      result =
          metric_ == "all" ? "any tensor does not change" : text(metric_, " is 0: a tensor does not change");
      break;
    default:
      result = text(metric_, ' ', op_text_, ' ', limits_[0].written());
  }
  if (sustained > 1) result += text(" for ", sustained, " iterations in a row");
  if (from > 0) result += text(", from step ", from);
  if (to > 0) result += text(from > 0 ? "" : ",", " to step ", to);
  return result;
}

std::string Gate::observation(const Reading& reading, const MetricSchema& schema) const {
  const std::string unit = schema.metric_of(reading.place).unit;
  const std::string value = text(rounded(reading.value, 6), unit.empty() ? "" : " ", unit);
  const std::string& metric = schema.name_of(reading.place);
  if (is_trend() && std::isfinite(reading.value))
    return text(metric, " changed by ", value, " over ", window_, " iterations");
  return text(metric, " was ", value);
}

}  // namespace foxhunt::diagnostics
