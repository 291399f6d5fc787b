#include "verdict.hpp"

#include <algorithm>
#include <cmath>

#include "common/text.hpp"

namespace foxhunt::diagnostics {

std::string Verdict::word() const {
  switch (code) {
    case ExitCode::passed:
      return "passed";
    case ExitCode::failed:
      return "failed";
    case ExitCode::aborted:
      return "aborted";
    case ExitCode::interrupted:
      return "interrupted";
    case ExitCode::error:
      break;
  }
  return "error";
}

Verdict judge(const std::vector<GateResult>& gates, std::int64_t step, bool interrupted) {
  Verdict verdict{.step = step, .gates = gates};
  const auto first_fired = [&](Action action) {
    auto found = gates.end();
    for (auto gate = gates.begin(); gate != gates.end(); ++gate)
      if (gate->status == GateResult::Status::fired && gate->action == action &&
          (found == gates.end() || gate->step < found->step))
        found = gate;
    return found;
  };
  if (const auto gate = first_fired(Action::abort); gate != gates.end()) {
    verdict.code = ExitCode::aborted;
    verdict.sentence = gate->sentence;
  } else if (interrupted) {
    verdict.code = ExitCode::interrupted;
    verdict.sentence = text("interrupted after step ", step, "; --resume continues the run.");
  } else if (const auto failed = first_fired(Action::fail_at_end); failed != gates.end()) {
    verdict.code = ExitCode::failed;
    verdict.sentence = failed->sentence;
  } else if (const auto warned = first_fired(Action::warn); warned != gates.end()) {
    verdict.sentence = text("passed with a warning: ", warned->sentence);
  } else {
    verdict.sentence = "all gates passed.";
  }
  return verdict;
}

Document to_document(const Verdict& verdict) {
  std::vector<Document> gates;
  for (const GateResult& gate : verdict.gates) {
    const char* status = gate.status == GateResult::Status::not_reached ? "not_reached"
                         : gate.status == GateResult::Status::passed    ? "passed"
                                                                        : "fired";
    Document entry;
    entry.add("name", gate.gate)
        .add("condition", gate.condition)
        .add("action", to_text(gate.action))
        .add("status", status);
    if (gate.status != GateResult::Status::not_reached) {
      entry.add("step", gate.step);
      if (!gate.metric.empty()) entry.add("metric", gate.metric).add("value", gate.value);
      if (std::isfinite(gate.limit)) entry.add("limit", gate.limit);
      if (std::isfinite(gate.margin)) entry.add("margin", gate.margin);
    }
    if (gate.status == GateResult::Status::fired)
      entry.add("firings", gate.firings).add("sentence", gate.sentence);
    gates.push_back(std::move(entry));
  }
  return Document()
      .add("verdict", verdict.word())
      .add("exit_code", static_cast<int>(verdict.code))
      .add("step", verdict.step)
      .add("sentence", verdict.sentence)
      .add("gates", gates);
}

}  // namespace foxhunt::diagnostics
