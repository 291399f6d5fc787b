#include "gates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "common/text.hpp"

namespace foxhunt::diagnostics {

namespace {

std::string sentence_of(const Gate& gate, const Gate::Reading& reading, const Row& row) {
  const char* verb = gate.action == Action::abort  ? "stops the run"
                     : gate.action == Action::warn ? "warns"
                                                   : "fails the run at its end";
  std::string result = text("gate '", gate.name, "' ", verb, ": ", gate.observation(reading, row.schema()),
                            " at step ", row.step(), " (", gate.condition());
  if (std::isfinite(reading.limit)) result += text("; limit ", rounded(reading.limit, 6));
  result += ")";
  const Metric& metric = row.schema().metric_of(reading.place);
  if (!std::isfinite(reading.value) && !row.bad_tensor.empty()) {
    result += text("; the first tensor that went bad is ", row.bad_tensor);
  } else if (!metric.look_at.empty()) {
    result += text("; look at ", metric.look_at);
  }
  return result += '.';
}

}  // namespace

Gates::Gates(const std::vector<config::GateSettings>& settings, const MetricSchema& schema, std::int64_t lag)
    : lag_(lag) {
  for (const config::GateSettings& one : settings) {
    Gate gate(one, schema);
    GateResult result{.gate = gate.name, .condition = gate.condition(), .action = gate.action};
    states_.push_back({std::move(gate), std::move(result)});
  }
}

void Gates::observe(const Row& row) {
  if (row.step() <= last_observed_)
    throw std::logic_error(text("rows must come in order, got step ", row.step(), " after ", last_observed_));
  last_observed_ = row.step();
  waiting_.push_back(row);
}

void Gates::look(State& state, const Row& row, std::vector<Firing>& firings) const {
  const auto reading = state.gate.look(row);
  if (!reading) return;
  GateResult& result = state.result;
  if (result.status != GateResult::Status::fired) {
    const bool shown = reading->streak > 0 || state.gate.shows_value();
    result.status = reading->fires ? GateResult::Status::fired : GateResult::Status::passed;
    result.metric = shown ? row.schema().name_of(reading->place) : "";
    result.value = reading->value;
    result.limit = reading->limit;
    result.margin = reading->margin;
    result.streak = reading->streak;
    result.step = row.step();
  }
  if (!reading->fires) return;
  Firing firing{state.gate.name, state.gate.action, row.step(),
                reading->value,  reading->limit,    sentence_of(state.gate, *reading, row)};
  if (result.firings++ == 0) result.sentence = firing.sentence;
  firings.push_back(std::move(firing));
}

std::vector<Firing> Gates::decide_until(std::int64_t step) {
  std::vector<Firing> firings;
  const auto aborts = [](const Firing& firing) { return firing.action == Action::abort; };
  while (!waiting_.empty() && waiting_.front().step() <= step) {
    for (State& state : states_) look(state, waiting_.front(), firings);
    waiting_.pop_front();
    if (std::any_of(firings.begin(), firings.end(), aborts)) break;
  }
  return firings;
}

std::vector<Firing> Gates::decide(std::int64_t step) {
  if (step - lag_ > last_observed_)
    throw std::logic_error(text("the metrics of step ", step - lag_, " are needed to decide at step ", step));
  return decide_until(step - lag_);
}

std::vector<Firing> Gates::finish() { return decide_until(std::numeric_limits<std::int64_t>::max()); }

std::vector<Firing> Gates::restore(const std::vector<Row>& rows, std::int64_t step) {
  for (const Row& row : rows)
    if (row.step() > last_observed_ && row.step() <= step) observe(row);
  last_observed_ = std::max(last_observed_, step);  // lines that were lost are not waited for
  std::vector<Firing> firings = decide_until(step - lag_);
  std::erase_if(firings, [](const Firing& firing) { return firing.action != Action::abort; });
  return firings;
}

std::vector<std::string> Gates::short_baselines(std::int64_t last) const {
  std::vector<std::string> sentences;
  for (const State& state : states_) {
    const auto end = state.gate.baseline_end();
    const std::int64_t needed = state.gate.to == 0 ? last : std::min(state.gate.to, last);
    if (end && *end < needed)
      sentences.push_back(text("gate '", state.gate.name, "': its baseline ends with iteration ", *end,
                               "; later ones are not compared"));
  }
  return sentences;
}

std::vector<GateResult> Gates::results() const {
  std::vector<GateResult> results;
  for (const State& state : states_) results.push_back(state.result);
  return results;
}

}  // namespace foxhunt::diagnostics
