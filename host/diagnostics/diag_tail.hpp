#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>

#include "json_lines.hpp"

namespace foxhunt::diagnostics {

/// Follows a diag.jsonl that another process writes, replaces, cuts or has not begun yet.
class DiagTail {
 public:
  explicit DiagTail(std::filesystem::path path) : path_(std::move(path)) {}

  /// Reads what is new: `row` for each whole line, in the order of steps. A line that is not whole yet is
  /// left for a later call; damaged ones, and steps that do not grow, are left out. `restart` comes first
  /// where what was read before no longer holds, since the file is another one, was cut, or was written anew
  /// in place; then rows begin again.
  void poll(const std::function<void()>& restart,
            const std::function<void(std::int64_t step, const Fields&)>& row);

  const std::filesystem::path& path() const { return path_; }

 private:
  enum class Read { done, rewritten };
  Read read(int fd, const std::function<void(std::int64_t, const Fields&)>& row);

  std::filesystem::path path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  off_t offset_ = 0;  // after the last whole line
  std::int64_t last_step_ = 0;
};

}  // namespace foxhunt::diagnostics
