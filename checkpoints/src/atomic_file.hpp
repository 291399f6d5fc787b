#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

namespace foxhunt::checkpoints {

/// At any instant `target` is what it was before, or all of `data`. Temporary name in the same folder, sync,
/// rename, sync of the folder. On Error `target` is unchanged and the temporary file is gone.
void write_atomically(const std::filesystem::path& target, std::span<const std::byte> data);

/// Makes `target` a hard link of `source`, whose content `data` is, replacing what it was; a copy where the
/// file system has no hard links or `hard_links` is false.
void link_atomically(const std::filesystem::path& source, const std::filesystem::path& target,
                     std::span<const std::byte> data, bool hard_links);

/// Removes temporary files whose writer no longer lives: a dead process of this machine, or older than an
/// hour.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace foxhunt::checkpoints
