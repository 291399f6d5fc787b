#include "sparkline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foxhunt::diagnostics {

std::string sparkline(const std::vector<double>& values) {
  static const char* const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double v : values)
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  std::string row;
  for (const double v : values) {
    // Halves, as the range itself may be more than a double holds.
    const double share = high > low ? (v / 2 - low / 2) / (high / 2 - low / 2) : 0;
    row += std::isfinite(v) ? blocks[std::min<std::size_t>(7, static_cast<std::size_t>(share * 8))] : "×";
  }
  return row;
}

std::vector<double> part_means(const std::vector<double>& values, std::size_t columns) {
  if (values.size() <= columns) return values;
  std::vector<double> means(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t begin = i * values.size() / columns, end = (i + 1) * values.size() / columns;
    for (std::size_t k = begin; k < end; ++k) means[i] += values[k] / static_cast<double>(end - begin);
    if (!std::isfinite(means[i])) means[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return means;
}

}  // namespace foxhunt::diagnostics
