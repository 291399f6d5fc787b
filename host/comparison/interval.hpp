#pragma once
#include <cstddef>
#include <vector>

namespace foxhunt::comparison {

/// A mean with its two-sided 95 % interval, mean ± half.
struct Interval {
  double mean = 0, half = 0;  ///< NaN: the mean of no value, the interval of fewer than two
  std::size_t count = 0;
  bool above_zero() const { return mean - half > 0; }
  bool below_zero() const { return mean + half < 0; }
  bool exactly_zero() const { return count > 0 && mean == 0 && (half == 0 || count == 1); }
};

/// Student's interval of the mean (Student 1908); of differences of pairs it is that of the paired effect. NaNs are left out.
Interval interval_of(const std::vector<double>& values);

/// Standard deviation of a sample; NaN for fewer than two values. NaNs are left out.
double deviation_of(const std::vector<double>& values);

}  // namespace foxhunt::comparison
