// A plugin whose descriptor is wrong in one way (EVIL, then the checksum, then EVIL_LAST). Opening it would
// end the process: whoever refuses it by its descriptor never gets there.
#include <cstdlib>
#include <foxhunt/descriptor.hpp>

#ifndef EVIL
#define EVIL
#endif
#ifndef EVIL_LAST
#define EVIL_LAST
#endif

namespace {
consteval fh_descriptor evil() {
  fh_descriptor d = foxhunt::make_descriptor(FH_Q_HEAD, "evil", "1.0.0", "refused by its descriptor");
  EVIL;
  d.checksum = foxhunt::DescriptorChecksum::of(d);
  EVIL_LAST;
  return d;
}
__attribute__((constructor)) void opened() { std::abort(); }
}  // namespace

extern "C" {
__attribute__((visibility("default"))) extern const fh_descriptor foxhunt_plugin_descriptor;
__attribute__((section(FH_SECTION), used)) constinit const fh_descriptor foxhunt_plugin_descriptor = evil();
__attribute__((visibility("default"))) const fh_plugin* foxhunt_plugin_entry() { return nullptr; }
}
