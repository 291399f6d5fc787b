#include "gates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "common/text.hpp"

namespace foxhunt::diagnostics {

namespace {

std::string sentence_of(const Gate& gate, const Gate::Breach& breach, const Row& row) {
  const char* verb = gate.action == Action::abort  ? "stops the run"
                     : gate.action == Action::warn ? "warns"
                                                   : "fails the run at its end";
  const Metric& metric = row.schema().metric_of(breach.place);
  std::string result = text("gate '", gate.name, "' ", verb, ": ", row.schema().name_of(breach.place),
                            " was ", rounded(breach.value, 6), metric.unit.empty() ? "" : " ", metric.unit,
                            " at step ", row.step(), " (", gate.condition());
  if (std::isfinite(breach.limit)) result += text("; limit ", rounded(breach.limit, 6));
  result += ")";
  if (!std::isfinite(breach.value) && !row.bad_tensor.empty()) {
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
    states_.push_back({std::move(gate), 0, std::move(result)});
  }
}

void Gates::observe(const Row& row) {
  if (row.step() <= last_observed_)
    throw std::logic_error(text("rows must come in order, got step ", row.step(), " after ", last_observed_));
  last_observed_ = row.step();
  waiting_.push_back(row);
}

void Gates::look(State& state, const Row& row, std::vector<Firing>& firings) const {
  if (!state.gate.covers(row.step())) {
    state.in_a_row = 0;
    return;
  }
  GateResult& result = state.result;
  const auto breach = state.gate.breached_by(row);
  state.in_a_row = breach ? state.in_a_row + 1 : 0;
  const bool fires = breach && state.in_a_row == state.gate.sustained;
  if (result.status != GateResult::Status::fired) {
    // Of `all` metrics there is no one value to show while all is well.
    const auto place = breach ? std::optional(breach->place) : state.gate.only_place();
    result.value = place ? row.at(*place) : std::numeric_limits<double>::quiet_NaN();
    result.limit = breach ? breach->limit : std::numeric_limits<double>::quiet_NaN();
    result.step = row.step();
    result.status = fires ? GateResult::Status::fired : GateResult::Status::passed;
  }
  if (!fires) return;
  Firing firing{state.gate.name, state.gate.action, row.step(),
                breach->value,   breach->limit,     sentence_of(state.gate, *breach, row)};
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

std::vector<GateResult> Gates::results() const {
  std::vector<GateResult> results;
  for (const State& state : states_) results.push_back(state.result);
  return results;
}

}  // namespace foxhunt::diagnostics
