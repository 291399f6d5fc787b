#pragma once
#include <filesystem>

namespace foxhunt {

/// The running program's own file, links resolved.
std::filesystem::path executable();

/// `share/foxhunt` and `lib/foxhunt` of the tree the executable lies in (`<prefix>/bin/foxhunt`); the build
/// tree looks the same as the installed one, and the installed one may be moved.
std::filesystem::path share_folder();
std::filesystem::path library_folder();

/// Plugins that come with the program: `library_folder()/plugins`.
std::filesystem::path plugin_folder();

}  // namespace foxhunt
