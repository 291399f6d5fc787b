#pragma once
#include <foxhunt/checkpoints/diff.hpp>

#include "h5.hpp"

namespace foxhunt::checkpoints {

struct DatasetSide {
  hid_t dataset, type;
  std::string damaged;  ///< text of the Error if it cannot be read
};

/// Compares two datasets of the same shape and kind of type, and fills in out.differing and what belongs to
/// it.
void compare_values(const DatasetSide& a, const DatasetSide& b, std::optional<double> tolerance,
                    Difference& out);

}  // namespace foxhunt::checkpoints
