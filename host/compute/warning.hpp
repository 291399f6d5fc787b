#pragma once
#include <string>

namespace foxhunt::compute {

/// Where warnings of this library go; null: standard error after "foxhunt: warning: ".
using WarningSink = void (*)(const std::string& text);
void set_warning_sink(WarningSink sink);

/// Gives a warning; the same text only once in the life of the process. Thread-safe.
void warn(const std::string& text);

}  // namespace foxhunt::compute
