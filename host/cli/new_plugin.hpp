#pragma once
#include <foxhunt/abi.h>

#include <string>

#include "../plugins/registry.hpp"

namespace foxhunt::cli {

/// Makes the folder `name` in the working folder: a plugin of this kind under this name, with kernel, tests and
/// README, that builds as it is. Returns what to do next, as text.
/// @throws foxhunt::Error if the name cannot be a plugin's or is one's already, or the folder exists.
std::string new_plugin(fh_kind kind, const std::string& name, const plugins::Registry& registry);

}  // namespace foxhunt::cli
