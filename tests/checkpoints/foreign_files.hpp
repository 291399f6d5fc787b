#pragma once
#include <filesystem>

namespace foxhunt::checkpoints::test {

/// An HDF5 file of everything that checkpoints do not hold: strings of both kinds, compounds, enumerations,
/// lists, references, big-endian and half-precision numbers, five dimensions, soft and external links, a
/// cycle of groups, an object with two names, and a dataset of 10^15 elements that was never written.
void write_foreign_file(const std::filesystem::path& file);

/// /meta with the given schema name and version, and nothing else.
void write_schema_file(const std::filesystem::path& file, const char* schema, long version);

/// A file that says it is a checkpoint and claims a tensor of 10^13 elements, with nothing stored.
void write_bomb(const std::filesystem::path& file);

/// Two datasets of strings, of fixed and of variable length, with the given second element.
void write_strings(const std::filesystem::path& file, const char* second);

}  // namespace foxhunt::checkpoints::test
