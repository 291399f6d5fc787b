#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../config/layers.hpp"

namespace foxhunt::cli {

/// An option of a command. Settings of a run (`--section.key value`) are not options; config knows them.
struct Option {
  std::string name;   ///< "plugin-dir"; "output,o" has a short form, too
  std::string value;  ///< "FOLDER", for messages; empty: a switch
  std::string help;
  bool repeatable = false;
};

struct Command;

/// The words after `foxhunt COMMAND`, taken apart and checked against what the command declares.
class Arguments {
 public:
  /// @throws foxhunt::Error for an unknown option (naming the nearest), an option twice or without its value,
  ///   settings where none are taken, and for too few or too many words.
  Arguments(const Command& command, const std::vector<std::string>& argv);

  const std::vector<std::string>& argv() const { return argv_; }    ///< the whole command line
  const std::vector<std::string>& words() const { return words_; }  ///< what is neither option nor setting
  const config::Layer& settings() const { return settings_; }
  bool help() const { return has("help"); }

  bool has(std::string_view option) const { return given_.find(option) != given_.end(); }
  std::optional<std::string> value(std::string_view option) const;
  std::vector<std::string> values(std::string_view option) const;
  /// @throws foxhunt::Error naming the option and the range if its value is no such number.
  std::optional<std::int64_t> integer(std::string_view option, std::int64_t least, std::int64_t most) const;
  /// A finite number above 0.
  std::optional<double> positive(std::string_view option) const;
  /// @throws foxhunt::Error naming the option if it was not given.
  std::string required(std::string_view option) const;

 private:
  std::vector<std::string> argv_, words_;
  config::Layer settings_;
  std::map<std::string, std::vector<std::string>, std::less<>> given_;
  std::string command_;
};

/// "  --run FOLDER   help" lines, aligned.
std::string options_text(const std::vector<Option>& options);

}  // namespace foxhunt::cli
