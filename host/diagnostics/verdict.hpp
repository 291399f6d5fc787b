#pragma once
#include <cstdint>
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

}  // namespace foxhunt::diagnostics
