#pragma once
#include <foxhunt/abi.h>

// Table of the kernel sources that are embedded in a plugin: defined by the file that foxhunt_add_plugin()
// generates. Weak: a plugin built without it has none.
extern "C" {
extern __attribute__((weak, visibility("hidden"))) const fh_source foxhunt_plugin_sources[];
extern __attribute__((weak, visibility("hidden"))) const uint32_t foxhunt_plugin_source_count;
}
