#pragma once
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "end_to_end/run.hpp"

namespace foxhunt::test {

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << part << "\" is not in:\n" << text.substr(0, 4000);
}

/// An error in use or input as it must look: exit code 1, nothing on standard output, and as the last of standard
/// error one line that begins with "foxhunt: " once and holds `part`.
testing::AssertionResult refused(const Outcome& outcome, const std::string& part);

/// The whole outcome, for messages.
std::string shown(const Outcome& outcome);

/// Names in a folder, without the files that Child makes there.
std::set<std::string> entries(const fs::path& folder);

/// A training run of a second: two iterations of 32 accounts on a short planted market.
Arguments tiny_run(const std::string& run, const Arguments& more = {});

/// Runs `command` with sh; $FOXHUNT is the program.
Outcome shell(const std::string& command, const fs::path& folder);

void write(const fs::path& file, const std::string& content);

}  // namespace foxhunt::test
