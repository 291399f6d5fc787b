#pragma once
#include <vector>

#include "dependencies.hpp"

namespace foxhunt::compute::cuda {

/// Hands out workspaces such that two products that may run at the same time have different ones. When there
/// are no more, a product waits for the one that has had its workspace for longest.
class Workspaces {
 public:
  static constexpr size_t most = 8;

  /// Workspace for `op`, the last one added to `order`, which may get one more predecessor.
  size_t take(Dependencies& order, uint32_t op, size_t bytes);
  /// Size of each workspace: the largest that was asked of it.
  const std::vector<size_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint32_t> users_;  ///< the last one of each
  std::vector<size_t> bytes_;
};

}  // namespace foxhunt::compute::cuda
