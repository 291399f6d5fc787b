#include <cmath>
#include <foxhunt/error.hpp>
#include <numbers>

#include "../common/philox.hpp"
#include "parameters.hpp"

namespace foxhunt::agent {

namespace {

double uniform(const common::Philox& stream, uint64_t i) { return (stream(i)[0] + 0.5) * 0x1p-32; }

double normal(const common::Philox& stream, uint64_t i) {
  const auto bits = stream(i);
  const double radius = std::sqrt(-2.0 * std::log((bits[0] + 0.5) * 0x1p-32));
  return radius * std::cos(2.0 * std::numbers::pi * (bits[1] + 0.5) * 0x1p-32);
}

// Rows (or columns, whichever are fewer) orthonormal, by modified Gram-Schmidt on normal numbers.
std::vector<double> orthogonal(const common::Philox& stream, size_t rows, size_t columns) {
  const bool wide = rows <= columns;
  const size_t count = wide ? rows : columns, length = wide ? columns : rows;
  std::vector<double> q(count * length);
  for (size_t i = 0; i < q.size(); ++i) q[i] = normal(stream, i);
  for (size_t k = 0; k < count; ++k) {
    double* v = q.data() + k * length;
    for (size_t j = 0; j < k; ++j) {
      const double* u = q.data() + j * length;
      double dot = 0;
      for (size_t i = 0; i < length; ++i) dot += u[i] * v[i];
      for (size_t i = 0; i < length; ++i) v[i] -= dot * u[i];
    }
    double norm = 0;
    for (size_t i = 0; i < length; ++i) norm += v[i] * v[i];
    for (size_t i = 0; i < length; ++i) v[i] /= std::sqrt(norm);
  }
  if (wide) return q;
  std::vector<double> transposed(q.size());
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) transposed[r * columns + c] = q[c * rows + r];
  return transposed;
}

}  // namespace

std::vector<float> initial_values(const fh_declared& d, uint64_t seed, const std::string& name) {
  const Recorder::Key key = compute::stream_key(seed, "initial" + name);
  const common::Philox stream(key.k[0], key.k[1]);
  const auto n = static_cast<size_t>(compute::elements_of(d.shape));
  const auto fan_in = static_cast<double>(d.shape.rank > 0 ? d.shape.dim[0] : 1);
  const auto fan_out = static_cast<double>(d.shape.rank > 0 ? d.shape.dim[d.shape.rank - 1] : 1);
  std::vector<float> values(n);
  switch (d.init) {
    case FH_INIT_CONSTANT:
      values.assign(n, static_cast<float>(d.value));
      break;
    case FH_INIT_GLOROT_UNIFORM:
    case FH_INIT_UNIFORM: {
      const double a = d.init == FH_INIT_UNIFORM ? d.value : d.value * std::sqrt(6.0 / (fan_in + fan_out));
      for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(a * (2.0 * uniform(stream, i) - 1.0));
      break;
    }
    case FH_INIT_NORMAL:
      for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(d.value * normal(stream, i));
      break;
    case FH_INIT_ORTHOGONAL: {
      const auto columns = static_cast<size_t>(fan_out);
      const std::vector<double> q = orthogonal(stream, columns ? n / columns : 0, columns);
      for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(d.value * q[i]);
      break;
    }
    case kInitDecayRate:
      for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(std::log(1 + 15 * uniform(stream, i)));
      break;
    case kInitTimeStep:
      for (size_t i = 0; i < n; ++i) {
        const double step = std::exp(std::log(1e-3) + std::log(100.0) * uniform(stream, i));
        values[i] = static_cast<float>(std::log(std::expm1(step)));
      }
      break;
    default:
      throw Error("parameter '" + name + "' asks for initialiser " + std::to_string(d.init) +
                  ", which this program does not know; it knows 0 to 4 (see fh_init in foxhunt/abi.h)");
  }
  return values;
}

}  // namespace foxhunt::agent
