#include "warning.hpp"

#include <cstdio>
#include <mutex>
#include <set>

namespace foxhunt::compute {
namespace {

std::mutex guard;
WarningSink current_sink = nullptr;

}  // namespace

void set_warning_sink(WarningSink sink) {
  const std::lock_guard lock(guard);
  current_sink = sink;
}

void warn(const std::string& text) {
  static std::set<std::string> given;
  const std::lock_guard lock(guard);
  if (!given.insert(text).second) return;
  if (current_sink) return current_sink(text);
  const std::string line = "foxhunt: warning: " + text + "\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace foxhunt::compute
