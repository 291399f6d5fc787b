#pragma once
#include <string>
#include <vector>

#include "watched_run.hpp"

/// A watched run as lines for a terminal or a log.
namespace foxhunt::diagnostics {

/// What `foxhunt watch` shows of one run, and of several, unless told otherwise; the second are among the
/// first.
const std::vector<std::string>& watched_metrics();
const std::vector<std::string>& table_metrics();

struct Screen {
  int columns = 80, rows = 24;
  bool colour = false;
};

/// One run: state, metrics with their course, gates with their distance from firing. No line is wider than
/// the screen; where there are more lines than rows, metrics at the end of the list are left out before
/// gates.
std::vector<std::string> run_frame(const WatchedRun& run, const Screen& screen);

/// Several runs, a line each: the last value of each metric that one of them has, and the course of the
/// first.
std::vector<std::string> table_frame(const std::vector<const WatchedRun*>& runs,
                                     const std::vector<std::string>& metrics, const Screen& screen);

/// One run in one line, for output that is no terminal.
std::string watch_line(const WatchedRun& run);

/// `line` cut to `columns` characters; escape sequences take no room.
std::string fitted(const std::string& line, int columns);

}  // namespace foxhunt::diagnostics
