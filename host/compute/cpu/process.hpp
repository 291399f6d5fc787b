#pragma once
#include <string>
#include <vector>

namespace foxhunt::compute::cpu {

struct ProcessResult {
  int exit_code = 0;   ///< 128 + signal if a signal ended it
  std::string output;  ///< standard output and standard error together
};

/// Runs a program, without a shell, in the given working folder (empty: this one), input empty, messages in
/// English (LC_ALL=C).
/// @throws foxhunt::Error if it cannot be started.
ProcessResult run_process(const std::vector<std::string>& command, const std::string& folder = {});

/// Full path of a program on PATH (a name with a slash is taken as it is); empty if there is none.
std::string find_program(const std::string& name);

}  // namespace foxhunt::compute::cpu
