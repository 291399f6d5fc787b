#pragma once
#include <string>
#include <vector>

namespace foxhunt::cli {

/// Runs `foxhunt COMMAND …`; arguments as in argv. Returns the exit code; errors in use or input are thrown.
int run(const std::vector<std::string>& arguments);

}  // namespace foxhunt::cli
