#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "options.hpp"

/// Every command, in the order of `foxhunt help`: X(NAME) needs a function NAME_command() somewhere in this folder.
#define FOXHUNT_COMMANDS(X) \
  X(train)                  \
  X(eval)                   \
  X(watch)                  \
  X(plugins)                \
  X(inspect)                \
  X(diff)                   \
  X(compare)                \
  X(sweep)                  \
  X(import)                 \
  X(generate)               \
  X(market)                 \
  X(compile)                \
  X(cache)                  \
  X(probe)                  \
  X(bench)                  \
  X(optimum)                \
  X(doctor)

namespace foxhunt::cli {

struct Command {
  std::string name;
  std::string summary;  ///< one line
  std::string usage;    ///< what follows `foxhunt NAME`
  std::string details;  ///< for --help, below the usage; may be empty
  std::vector<Option> options;
  std::string words;  ///< what the words are, for messages: "FILE or RUN"
  std::size_t least_words = 0, most_words = 0;
  bool takes_settings = false;
  /// Returns the exit code; errors in use or input are thrown as foxhunt::Error.
  int (*run)(const Arguments&) = nullptr;
  /// More text for --help, if any.
  std::string (*more_help)(const Arguments&) = nullptr;
};

#define FOXHUNT_DECLARE(NAME) Command NAME##_command();
FOXHUNT_COMMANDS(FOXHUNT_DECLARE)
#undef FOXHUNT_DECLARE

inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

/// Runs `foxhunt COMMAND …`; arguments as in argv. Returns the exit code; errors in use or input are thrown.
int run(const std::vector<std::string>& argv);

}  // namespace foxhunt::cli
