#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "compute/program.hpp"

namespace foxhunt::compute::cuda {

/// Bytes that an operation touches of a tensor with memory of its own.
struct Access {
  TensorId tensor = 0;
  uint64_t begin = 0, end = 0;  ///< [begin, end)
  bool write = false;
};

/// The accesses of an op as its recording declared them.
std::vector<Access> accesses_of(const Op& op, const Tensors& tensors);

/// Which operations of a program must end before another may begin: those that come earlier in the program
/// and touch a byte that the other touches, at least one of the two writing. Ops are added in program order.
class Dependencies {
 public:
  /// @return the op's number: 0, 1, 2, …
  uint32_t add(const std::vector<Access>& accesses);
  /// The last op added shall also wait for `earlier`.
  void wait_for(uint32_t earlier);
  /// True if `earlier` is certain to have ended when `op` begins.
  bool is_before(uint32_t earlier, uint32_t op) const;
  /// The fewest ops that the last one added must wait for directly, descending.
  std::vector<uint32_t> predecessors() const;

 private:
  struct Past {
    uint64_t begin, end;
    uint32_t op;
    bool write;
  };
  using Bits = std::vector<uint64_t>;  ///< one bit per earlier op
  std::unordered_map<TensorId, std::vector<Past>> history_;
  std::vector<Bits> before_;      ///< per op: all that are before it
  std::vector<uint32_t> direct_;  ///< of the last op, not yet reduced
};

}  // namespace foxhunt::compute::cuda
