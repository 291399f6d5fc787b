#include "expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <foxhunt/error.hpp>

#include "common/text.hpp"

namespace foxhunt::diagnostics {

namespace {

constexpr std::string_view kForms =
    "a number, `factor * metric`, `baseline`, `baseline.metric`, or a sum of these";

/// With plain ASCII for the signs that people paste.
std::string plain(std::string_view written) {
  std::string result(trim(written));
  for (const auto& [sign, ascii] : {std::pair{"×", '*'}, {"−", '-'}, {"–", '-'}})
    for (std::size_t at; (at = result.find(sign)) != std::string::npos;)
      result.replace(at, std::string_view(sign).size(), 1, ascii);
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Key in diag.jsonl of what a schema calls "action_hist.hold".
std::string file_key(const std::string& name, const MetricSchema& schema) {
  const auto place = schema.find(name);
  if (!place || schema.metric_of(*place).elements.empty()) return name;
  const std::string& array = schema.metric_of(*place).name;
  return text(array, '.', *place - schema.place(array));
}

}  // namespace

std::size_t parse_metric(std::string_view name, const MetricSchema& schema) {
  if (const auto place = schema.find(name)) return *place;
  const auto close = nearest(name, schema.names());
  throw Error(text("there is no metric '", shown(name), "'",
                   close ? text("; did you mean '", *close, "'?") : "; the keys of diag.jsonl are metrics"));
}

/// sum := ['+'|'-'] term (('+'|'-') term)*;  term := factor ('*' factor)*, at most one factor a name.
class Expression::Parser {
 public:
  Parser(Expression& to, const Names& names) : to_(to), names_(names), rest_(to.written_) {}

  void run() {
    double sign = take('-') ? -1 : (take('+'), 1);
    do {
      term(sign);
      sign = take('-') ? -1 : 1;
    } while (sign < 0 || take('+'));
    if (!rest_.empty()) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(text("expected ", kForms, ", got '", shown(to_.written_), "'"));
  }
  bool take(char c) {
    rest_ = trim(rest_);
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void term(double factor) {
    std::string name;
    do {
      rest_ = trim(rest_);
      const bool minus = take('-');
      rest_ = trim(rest_);
      if (rest_.empty()) refuse();
      if (is_digit(rest_.front()) || rest_.front() == '.') {
        factor *= number();
      } else if (is_letter(rest_.front()) && name.empty()) {
        name = word();
      } else {
        refuse();
      }
      if (minus) factor = -factor;
    } while (take('*'));
    if (!std::isfinite(factor)) refuse();
    add(factor, name);
  }
  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) refuse();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && (is_letter(rest_.front()) || rest_.front() == '.')) refuse();  // "2y"
    return value;
  }
  std::string word() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), [](char c) {
      return is_letter(c) || is_digit(c) || c == '.' || c == '/';
    });
    const std::string result(rest_.begin(), end);
    rest_.remove_prefix(result.size());
    return result;
  }
  void add(double factor, const std::string& name) {
    constexpr std::string_view kBaseline = "baseline";
    if (name.empty()) {
      to_.constant_ += factor;
    } else if (name != kBaseline && !name.starts_with("baseline.")) {
      to_.metrics_.push_back({factor, parse_metric(name, names_.schema)});
    } else {
      if (names_.baseline.empty())
        throw Error(text("'", shown(to_.written_),
                         "' compares with a baseline; name it with `baseline = RUN` in the same gate"));
      const std::string metric = name == kBaseline ? names_.metric : name.substr(kBaseline.size() + 1);
      const std::string key = file_key(metric, names_.schema);
      to_.baselines_.push_back(
          {factor, std::make_shared<const Series>(read_series(diag_of(names_.baseline), key))});
    }
  }

  Expression& to_;
  const Names& names_;
  std::string_view rest_;
};

Expression::Expression(std::string_view written, const Names& names) : written_(plain(written)) {
  Parser(*this, names).run();
}

std::optional<double> Expression::value(const Row& row) const {
  double sum = constant_;
  for (const OfRow& metric : metrics_) sum += metric.factor * row.at(metric.place);
  for (const OfBaseline& baseline : baselines_) {
    const auto there = baseline.series->at(row.step());
    if (!there) return std::nullopt;
    sum += baseline.factor * *there;
  }
  return sum;
}

std::vector<const Series*> Expression::baselines() const {
  std::vector<const Series*> result;
  for (const OfBaseline& baseline : baselines_) result.push_back(baseline.series.get());
  return result;
}

}  // namespace foxhunt::diagnostics
