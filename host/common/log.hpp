#pragma once
#include <string>
#include <string_view>

/// Lines for people, on standard error. Standard output is for results alone.
namespace foxhunt::log {

/// One line each; safe from any thread. `error` puts "foxhunt: " in front, as the program's last word.
void info(std::string_view line);
void warning(std::string_view line);
void error(std::string_view line);

/// No info lines from now on (warnings and errors stay).
void quiet();

/// A line that stays at the bottom of the terminal: other lines appear above it. Empty: removes it. Only for
/// terminals (see `terminal()`); must fit into one row.
void status(std::string_view line);

/// What an output is connected to.
struct Terminal {
  bool interactive = false;  ///< a terminal that can redraw a line (and TERM is not "dumb")
  bool colour = false;       ///< interactive, and NO_COLOR is unset or empty
  int columns = 80, rows = 24;
};
Terminal terminal();         ///< of standard error
Terminal output_terminal();  ///< of standard output

}  // namespace foxhunt::log
