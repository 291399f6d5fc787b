#pragma once
#include <string>
#include <vector>

namespace foxhunt::kernels::test {

/// Where the text of a kernel file breaks the contract of kernels_src/README.md as far as its text shows it,
/// one "file:line: what is wrong, what to write instead" each. It knows no types and no values: what it
/// cannot see, race mode does.
/// @param file  name relative to kernels_src; what only common/ may do is allowed there
std::vector<std::string> lint(const std::string& file, const std::string& text);

}  // namespace foxhunt::kernels::test
