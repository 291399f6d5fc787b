#include "verdict.hpp"

#include <algorithm>
#include <cmath>
#include <foxhunt/error.hpp>

#include "common/files.hpp"
#include "common/text.hpp"

namespace foxhunt::diagnostics {

namespace fs = std::filesystem;

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

std::optional<VerdictFile> read_verdict(const fs::path& run) {
  std::error_code error;
  const fs::path file = run / "verdict.json";
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  const auto content = Document::parse(read_file(file, 64 << 20));
  const auto word = content ? content->text("verdict") : std::nullopt;
  if (!word) return std::nullopt;
  return VerdictFile{*word, content->text("sentence").value_or(""),
                     static_cast<std::int64_t>(content->number("step").value_or(0))};
}

std::vector<fs::path> runs_in(const fs::path& folder) {
  constexpr std::string_view kReplica = "seed-";
  std::vector<std::pair<std::int64_t, fs::path>> replicas;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const auto seed = name.starts_with(kReplica) ? to_integer(name.substr(kReplica.size())) : std::nullopt;
    if (seed && entry.is_directory(error)) replicas.emplace_back(*seed, entry.path());
  }
  const bool is_run = fs::exists(folder / "diag.jsonl", error) || fs::exists(folder / "verdict.json", error);
  if (is_run || replicas.empty()) return {folder};
  std::sort(replicas.begin(), replicas.end());
  std::vector<fs::path> folders;
  for (auto& [seed, path] : replicas) folders.push_back(std::move(path));
  return folders;
}

void require_passed(const std::vector<fs::path>& runs) {
  for (const fs::path& named : runs)
    for (const fs::path& run : runs_in(named)) {
      const auto verdict = read_verdict(run);
      if (!verdict)
        throw Error(
            text("this run begins after ", run, ":pass, which has no verdict",
                 fs::exists(run) ? " yet (verdict.json); let it end first" : ": there is no such folder"));
      if (verdict->word != "passed")
        throw Error(text("this run begins after ", run, ":pass, which is ", shown(verdict->word), ": ",
                         shown(verdict->sentence, 400)));
    }
}

}  // namespace foxhunt::diagnostics
