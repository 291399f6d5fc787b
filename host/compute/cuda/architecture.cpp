#include "architecture.hpp"

#include <nvrtc.h>

#include <algorithm>
#include <charconv>
#include <foxhunt/error.hpp>

#include "check.hpp"
#include "nvrtc.hpp"

namespace foxhunt::compute::cuda {
namespace {

std::string names(const std::vector<int>& known) {
  std::string s;
  for (int c : known) s += (s.empty() ? "sm_" : ", sm_") + std::to_string(c);
  return s;
}

}  // namespace

std::vector<int> known_capabilities() {
  int count = 0;
  FOXHUNT_CUDA(nvrtcGetNumSupportedArchs(&count));
  std::vector<int> known(static_cast<size_t>(count));
  FOXHUNT_CUDA(nvrtcGetSupportedArchs(known.data()));
  std::sort(known.begin(), known.end());
  return known;
}

Architecture architecture_for(int major, int minor, const std::string& device_name,
                              const std::vector<int>& known) {
  const int device = 10 * major + minor;
  const auto above = std::upper_bound(known.begin(), known.end(), device);
  if (above == known.begin())
    throw Error("the GPU '" + device_name + "' is an sm_" + std::to_string(device) +
                ", but the oldest architecture that " + compiler_version() + " compiles for is sm_" +
                std::to_string(known.empty() ? 0 : known.front()) +
                ". Use a newer GPU, an older CUDA Toolkit, or "
                "`--trainer.device cpu`.");
  const int best = *(above - 1);
  // Machine code runs on later devices of the same generation only.
  return {(best / 10 == major ? "sm_" : "compute_") + std::to_string(best)};
}

Architecture architecture_named(const std::string& name, const std::vector<int>& known) {
  for (const char* prefix : {"sm_", "compute_"}) {
    if (!name.starts_with(prefix)) continue;
    const char* first = name.data() + std::string_view(prefix).size();
    const char* last = name.data() + name.size();
    int capability = 0;
    const auto [end, error] = std::from_chars(first, last, capability);
    const bool suffix_ok = end == last || (end + 1 == last && (*end == 'a' || *end == 'f'));
    if (error == std::errc() && suffix_ok && std::binary_search(known.begin(), known.end(), capability))
      return {name};
  }
  throw Error("'" + name + "' is no GPU architecture that " + compiler_version() +
              " compiles for. It knows " + names(known) + ".");
}

}  // namespace foxhunt::compute::cuda
