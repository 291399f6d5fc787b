#include "build_info.hpp"

#include "build_info_values.hpp"

namespace foxhunt {

BuildInfo build_info() {
#if defined(__clang__)
  return {FOXHUNT_VERSION, FOXHUNT_COMMIT, "clang++ " __clang_version__};
#else
  return {FOXHUNT_VERSION, FOXHUNT_COMMIT, "g++ " __VERSION__};
#endif
}

}  // namespace foxhunt
