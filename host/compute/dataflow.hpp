#pragma once
#include <string>
#include <vector>

#include "program.hpp"

namespace foxhunt::compute {

/// The declared data flow, one line per step in order: `step: what it reads → what it writes`. Scratch that
/// only this step touches is left out. A window of a tensor shows its range of elements.
std::string render_dataflow(const Program& program, const Tensors& tensors);

/// Checks that nothing which `owner` (a diagnostic head) writes is read or written by anybody else in these
/// programs. Windows of one tensor count as far as they overlap.
/// @throws foxhunt::Error naming the tensor and both steps.
void check_isolation(const std::vector<const Program*>& programs, const Tensors& tensors,
                     const std::string& owner);

}  // namespace foxhunt::compute
