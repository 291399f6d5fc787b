#pragma once
#include <foxhunt/abi.h>
#include <filesystem>

namespace foxhunt::plugins {

/// Opens a shared object (all symbols resolved now, none of them visible to others; never unloaded) and
/// returns its entry function.
/// @throws foxhunt::Error with the loader's message.
fh_entry open_library(const std::filesystem::path& file);

}  // namespace foxhunt::plugins
