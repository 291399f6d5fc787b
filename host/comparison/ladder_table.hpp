#pragma once
#include <filesystem>
#include <string>

#include "ladder.hpp"

namespace foxhunt::comparison {

/// Markdown: what each rung came to over its seeds, its effect on the metric that its claim is about (paired by seed with
/// the baseline, 95 %), and whether that is what was expected. Rungs that have not run are left out and named.
std::string ladder_table(const Ladder& ladder, const std::filesystem::path& runs);

}  // namespace foxhunt::comparison
