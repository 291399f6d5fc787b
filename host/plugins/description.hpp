#pragma once
#include <foxhunt/abi.h>

#include <string>

#include "elf.hpp"

namespace foxhunt::plugins {

/// What a plugin's file says of itself.
struct Description {
  fh_kind kind = FH_Q_HEAD;
  std::string name, version, description;
  bool sealed = false;
};

/// "q_head", "reward_shaper", "position_sizer".
const char* name_of(fh_kind kind);
/// @throws foxhunt::Error naming the three kinds.
fh_kind kind_of(std::string_view name);

/// Reads the descriptor from the bytes of a shared object; runs nothing of it.
/// @throws foxhunt::Error with one sentence if the file is not a plugin for this program: truncated, foreign,
///   another ABI, another build, or a descriptor with any byte changed.
Description read_description(Bytes file);

/// Checks the seal at the end of a file whose descriptor is sealed (FH_SEAL_TAG).
/// @throws foxhunt::Error if it is missing or any byte of the file was changed.
void check_seal(Bytes file);

}  // namespace foxhunt::plugins
