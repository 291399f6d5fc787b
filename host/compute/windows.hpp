#pragma once
#include "program.hpp"

namespace foxhunt::compute {

/// Elements [begin, end) of the memory of a tensor that is no window itself: what two operands are compared
/// by.
struct Window {
  TensorId root = 0;
  int64_t begin = 0, end = 0;
};

inline Window window_of(const Tensors& tensors, const Operand& operand) {
  const TensorSpec& spec = tensors[operand.tensor];
  const int64_t begin = operand.offset + (spec.parent ? spec.parent_offset : 0);
  return {spec.parent ? spec.parent : operand.tensor, begin, begin + elements_of(operand.shape)};
}

inline bool overlap(const Window& a, const Window& b) {
  return a.root == b.root && a.begin < b.end && b.begin < a.end;
}

}  // namespace foxhunt::compute
