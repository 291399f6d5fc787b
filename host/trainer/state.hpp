#pragma once
#include <cstddef>
#include <foxhunt/checkpoints/reader.hpp>
#include <foxhunt/checkpoints/tensor.hpp>
#include <map>
#include <string>
#include <vector>

#include "../compute/compute.hpp"

namespace foxhunt::trainer {

/// State that the program keeps outside the device, under its path in the checkpoint: averages of metrics and
/// the like. Together with the tensors of Lifetime::state it is exactly what a checkpoint holds.
using HostState = std::map<std::string, double>;

/// A copy of the whole state at one moment, ready to be written.
struct Snapshot {
  std::vector<std::vector<std::byte>> buffers;
  checkpoints::Checkpoint content;  ///< views into `buffers`
};
Snapshot take_snapshot(compute::Compute& compute, const compute::Tensors& tensors, const HostState& host,
                       checkpoints::Attributes meta);

/// Loads the whole state. @throws foxhunt::Error naming dataset, expected and found shape, and changes nothing, if
/// the file holds less, more, or something of another shape.
void restore(const checkpoints::Reader& file, compute::Compute& compute, const compute::Tensors& tensors, HostState& host);

/// Takes over the tensors below `roots` that match by name and shape. Returns what was not taken over.
checkpoints::Match restore_matching(const checkpoints::Reader& file, compute::Compute& compute,
                                    const compute::Tensors& tensors, const std::vector<std::string>& roots);
/// The same for the numbers that the host keeps; what it takes over is no longer among those `match` calls unused.
void restore_matching(const checkpoints::Reader& file, HostState& host, checkpoints::Match& match);

}  // namespace foxhunt::trainer
