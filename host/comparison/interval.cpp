#include "interval.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace foxhunt::comparison {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Sample {
  double n = 0, mean = kNone, deviation = kNone;
};

Sample sample_of(const std::vector<double>& values) {
  Sample s;
  double sum = 0, squares = 0;
  for (const double v : values)
    if (!std::isnan(v)) s.n += 1, sum += v;
  if (s.n == 0) return s;
  s.mean = sum / s.n;
  for (const double v : values)
    if (!std::isnan(v)) squares += (v - s.mean) * (v - s.mean);
  if (s.n > 1) s.deviation = std::sqrt(squares / (s.n - 1));
  return s;
}

}  // namespace

Interval interval_of(const std::vector<double>& values) {
  const Sample s = sample_of(values);
  Interval i{s.mean, kNone, static_cast<std::size_t>(s.n)};
  if (s.n < 2) return i;
  const double t = boost::math::quantile(boost::math::students_t(s.n - 1), 0.975);
  i.half = t * s.deviation / std::sqrt(s.n);
  return i;
}

double deviation_of(const std::vector<double>& values) { return sample_of(values).deviation; }

}  // namespace foxhunt::comparison
