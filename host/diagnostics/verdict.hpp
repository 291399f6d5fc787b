#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "document.hpp"
#include "gates.hpp"

namespace foxhunt::diagnostics {

/// What `foxhunt` exits with.
enum class ExitCode : int {
  passed = 0,      ///< done and passed
  error = 1,       ///< error in use or input
  failed = 2,      ///< ended, a fail_at_end gate failed
  aborted = 3,     ///< stopped by a gate
  interrupted = 4  ///< stopped by a signal, checkpoint written, resumable
};

/// How a run ended, by its gates.
struct Verdict {
  ExitCode code = ExitCode::passed;
  std::int64_t step = 0;  ///< iterations done
  std::string sentence;   ///< why, in one sentence; "all gates passed" if so
  std::vector<GateResult> gates;

  std::string word() const;  ///< "passed", "failed", "aborted", "interrupted", "error"
};

/// An abort counts before an interruption, that before a failed gate.
Verdict judge(const std::vector<GateResult>& gates, std::int64_t step, bool interrupted);

/// Content of verdict.json; holds no times or paths.
Document to_document(const Verdict& verdict);

/// What verdict.json says, as far as others ask.
struct VerdictFile {
  std::string word;  ///< "passed", "failed", …
  std::string sentence;
  std::int64_t step = 0;  ///< iterations done
};
/// Nothing if the run folder holds no verdict.json, or one that cannot be read back.
std::optional<VerdictFile> read_verdict(const std::filesystem::path& run);

/// The folders of a run: itself, or of side by side replicas the folder of each, in order of their seeds.
std::vector<std::filesystem::path> runs_in(const std::filesystem::path& folder);

/// For a run that depends on others. @throws Error naming the first run that has no verdict, or another one
/// than passed; of replicas every one must have passed.
void require_passed(const std::vector<std::filesystem::path>& runs);

}  // namespace foxhunt::diagnostics
