#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace foxhunt::plugins {

using Bytes = std::span<const std::byte>;

/// Contents of the section `name` of a shared object: 64-bit little-endian ELF of this machine's
/// architecture.
///
/// Nothing outside `file` is ever read, whatever the bytes are. All header tables, sections and segments must
/// lie inside the file: the system's loader maps segments without looking at the file's end, and touching
/// what is not there is a SIGBUS.
/// @throws foxhunt::Error with one sentence: what was expected, what was found.
Bytes elf_section(Bytes file, std::string_view name);

}  // namespace foxhunt::plugins
