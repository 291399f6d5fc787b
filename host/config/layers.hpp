#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt::config {

/// Where a value was written.
struct Origin {
  std::string name;              ///< file, "command line", "default"
  int line = 0;                  ///< 1-based; 0: none
  std::filesystem::path folder;  ///< what relative paths are relative to; empty: the working folder
  bool stored = false;           ///< by the program itself with a run, perhaps by another version of it
  std::string str() const;       ///< "run.ini:12"
};

struct Assignment {
  std::string key;  ///< "trainer.accounts"
  std::string value;
  Origin origin;
};

/// What one file, or the command line, says. Later layers win over earlier ones.
using Layer = std::vector<Assignment>;

/// Limits on config files: a file that exceeds them is not one.
inline constexpr std::size_t kMaxConfigBytes = 1 << 20;
inline constexpr std::size_t kMaxLineBytes = 16 << 10;

/// Reads the files in the order given, each after the file that it names with `base = other.ini` (relative to
/// itself; chains are fine).
/// @throws Error naming file and line: unreadable, too large, not text, bad syntax, a key twice in one file,
///   bases in a circle.
std::vector<Layer> read_layers(const std::vector<std::filesystem::path>& files);

/// One layer from text in memory, such as the resolved config in a checkpoint. `base` is refused here.
Layer parse_text(std::string_view content, const std::string& name);

/// Marks a configuration that the program stored with a run.
std::vector<Layer> stored(std::vector<Layer> layers);

/// The settings of a command line, `--section.key value`, `--section.key=value` and the same for top-level
/// keys, and all other words in their order (for the command's own options).
/// @throws Error if a setting has no value.
struct CommandLine {
  Layer settings;
  std::vector<std::string> rest;
};
CommandLine take_settings(const std::vector<std::string>& arguments);

namespace detail {
/// Lines of an INI file that hold an assignment, as keys and values; `section.key` inside a section. Checks
/// nothing but the syntax. @throws Error naming `name` and the line.
Layer parse_ini(const std::string& content, const Origin& origin);
}  // namespace detail

}  // namespace foxhunt::config
