#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace foxhunt {

/// The bytes of a file; never more than `limit` are held in memory, whatever the file is (a device, a pipe).
/// @throws Error naming the file if it cannot be read or holds more than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t limit);

/// At most the first `limit` bytes.
std::string read_prefix(const std::filesystem::path& path, std::size_t limit);

/// Writes `content` so that `path` holds either what it held before or all of `content`, even if the machine
/// stops: temporary name in the same folder, fsync, rename, fsync of the folder. No temporary file stays
/// behind on failure.
/// @throws Error naming the file and the system's reason.
void write_file_atomic(const std::filesystem::path& path, std::string_view content);

/// Makes the entries of a folder (new names, renames) durable.
void sync_folder(const std::filesystem::path& folder);

/// Makes `folder` and its parents for a new run.
/// @throws Error if it exists and is not empty: a run never overwrites another.
void make_run_folder(const std::filesystem::path& folder);

/// Makes the first free `parent/stem-0001`, `-0002`, …; two processes never get the same one.
std::filesystem::path make_numbered_folder(const std::filesystem::path& parent, const std::string& stem);

}  // namespace foxhunt
