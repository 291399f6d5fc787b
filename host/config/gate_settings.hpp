#pragma once
#include <cstdint>
#include <string>

#include "layers.hpp"

namespace foxhunt::config {

/// One gate as written; the gates of host/diagnostics give the words their meaning.
struct GateSettings {
  std::string name;
  std::string metric;
  std::string op;
  std::string value;
  std::int64_t from = 0;
  std::int64_t to = 0;  ///< 0: to the end
  std::string action;
  std::string baseline;  ///< absolute path, or empty
  std::int64_t sustained = 1;
  std::string origin;  ///< where its metric was written, for messages
};

/// The gates that every run has; a config changes them like any other (`gate.nan_abort.action = off`).
const Layer& builtin_gates();

}  // namespace foxhunt::config
