#pragma once
#include <string>
#include <vector>

namespace foxhunt::diagnostics {

/// One block character a value, scaled to their range; NaN and infinities are an ×.
std::string sparkline(const std::vector<double>& values);

/// Means of `columns` equal parts of `values`, in order; all values where there are no more. A part with a
/// NaN or infinity is NaN: it must not vanish among others.
std::vector<double> part_means(const std::vector<double>& values, std::size_t columns);

}  // namespace foxhunt::diagnostics
