#pragma once
#include <string>

namespace foxhunt {

/// What this binary was built from; goes into /meta of a checkpoint and into provenance.json.
struct BuildInfo {
  std::string version;  ///< "0.1.0"
  std::string commit;   ///< full hash, "-dirty" appended if tracked files were changed; "unknown" without git
  std::string compiler;  ///< "g++ 12.2.0"
};

BuildInfo build_info();

}  // namespace foxhunt
