#include <cmath>

#include "cases.hpp"
#include "kernels/manifest.hpp"
#include "kernels/network.hpp"

namespace foxhunt::kernels::test {
namespace {

double activation(int64_t kind, double z) {
  if (std::isnan(z)) return z;
  switch (kind) {
    case 1:
      return std::max(z, 0.0);
    case 2:
      return std::tanh(z);
    case 3:
      return z / (1 + std::exp(-z));
    case 4:
      return z > 0 ? z : std::expm1(z);
    default:
      return z;
  }
}

// Where the function has a kink or a difference would be lost in rounding, its limit.
double activation_slope(int64_t kind, double z) {
  if (kind == 1) return z > 0;
  if (kind == 4 && std::abs(z) < 1e-3) return z > 0 ? 1 : 1 + activation(kind, z);
  if (std::abs(z) < 50) return derivative([&](double v) { return activation(kind, v); }, z);
  return kind == 0 || (kind != 2 && z > 0) ? 1 : 0;
}

void activation_cases(Cases& cases) {
  const Values edges = {0, -0.0, 1e-30, -1e-30, 40, -40, 104, -104, 1e30, -1e30, 0.6249, 0.6251, -20, 20};
  for (int64_t kind = 0; kind <= 4; ++kind)
    for (const int64_t n : {1, 7, 33, 5000}) {
      const std::string name = "kind " + std::to_string(kind) + " n " + std::to_string(n);
      const auto count = static_cast<double>(n);
      const Values z = n == 33 ? with(normal(n, 1, 3), edges) : normal(n, 1, 3);
      cases
          .add(program_kernels(), activation_forward, name, Grid::elements(n), {constant("ACTIVATION", kind)},
               {with(z, n == 33 ? with(edges, {std::nan("")}) : Values{}), unwritten(n), {count}},
               [=](Arguments& a) {
                 for (int64_t i = 0; i < n; ++i) a["y"][at(i)] = activation(kind, a["z"][at(i)]);
               })
          .large = n > 1000;
      cases.add(program_kernels(), activation_backward, name, Grid::elements(n), {constant("ACTIVATION", kind)},
                {z, normal(n, 2), {count}}, [=](Arguments& a) {
                  for (int64_t i = 0; i < n; ++i) a["dy"][at(i)] *= activation_slope(kind, a["z"][at(i)]);
                });
      cases.list.back().large = n > 1000;
      cases.list.back().tolerance64["dy"] = {1e-9, 1e-9};
    }
}

void column_sum_cases(Cases& cases) {
  const struct {
    int64_t rows, columns, rows_per_block;
  } shapes[] = {{1, 1, 1}, {7, 33, 3}, {33, 7, 8}, {33, 300, 40}, {5, 9, 2}};
  for (const auto& s : shapes) {
    const int64_t blocks = (s.rows + s.rows_per_block - 1) / s.rows_per_block;
    const std::string name = std::to_string(s.rows) + " x " + std::to_string(s.columns);
    cases.add(program_kernels(), column_sum_partial, name, Grid::blocks(blocks), {constant("COLUMNS", s.columns)},
              {with(normal(s.rows * s.columns, 1), {1e5, -1e5}), unwritten(blocks * s.columns),
               {static_cast<double>(s.rows)}, {static_cast<double>(s.rows_per_block)}},
              [=](Arguments& a) {
                for (double& v : a["partial"]) v = 0;
                for (int64_t r = 0; r < s.rows; ++r)
                  for (int64_t c = 0; c < s.columns; ++c)
                    a["partial"][at(r / s.rows_per_block * s.columns + c)] += a["x"][at(r * s.columns + c)];
              })
        .tolerance["partial"] = {s.rows == 1 ? 0 : 2e-2, 1e-5};  // of 1e5 in float
    cases.add(program_kernels(), column_sum_finish, name, Grid::elements(s.columns), {constant("COLUMNS", s.columns)},
              {normal(blocks * s.columns, 2), unwritten(s.columns), {0.5}, {static_cast<double>(blocks)}},
              [=](Arguments& a) {
                for (int64_t c = 0; c < s.columns; ++c) {
                  a["sum"][at(c)] = 0;
                  for (int64_t b = 0; b < blocks; ++b) a["sum"][at(c)] += 0.5 * a["partial"][at(b * s.columns + c)];
                }
              });
  }
}

Values rms_norm(const Values& x, const Values& gain) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  const double rms = std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
  Values y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] / rms * gain[i];
  return y;
}

void rms_norm_cases(Cases& cases) {
  for (const auto& [rows, width] : {std::pair<int64_t, int64_t>{1, 1}, {3, 7}, {7, 33}, {3, 128}, {2, 300}}) {
    const std::string name = std::to_string(rows) + " x " + std::to_string(width);
    // The first row is all zeros, the second large.
    Values x = with(normal(rows * width, 1), same(width, 0));
    if (rows > 2)
      for (int64_t i = width; i < 2 * width; ++i) x[at(i)] *= 1e9;
    cases.add(program_kernels(), rms_norm_forward, name, Grid::blocks(rows), {constant("WIDTH", width)},
              {x, normal(width, 2), unwritten(rows * width)}, [rows = rows, width = width](Arguments& a) {
                for (int64_t r = 0; r < rows; ++r) {
                  const Values row(&a["x"][at(r * width)], &a["x"][at(r * width)] + width);
                  const Values y = rms_norm(row, a["gain"]);
                  std::copy(y.begin(), y.end(), &a["y"][at(r * width)]);
                }
              });
    cases.list.back().tolerance64["y"] = {1e-9, 1e-9};  // the kernel's 1e-5 is a float in the large row's favour
    // Backward: the derivative of sum(dy * y) by central differences. The large row has none worth the name.
    cases.add(program_kernels(), rms_norm_backward, name, Grid::blocks(rows), {constant("WIDTH", width)},
              {with(normal(rows * width, 1), same(width, 0)), normal(width, 2), normal(rows * width, 3),
               unwritten(rows * width), unwritten(rows * width)},
              [rows = rows, width = width](Arguments& a) {
                for (int64_t r = 0; r < rows; ++r) {
                  const size_t from = at(r * width);
                  Values row(&a["x"][from], &a["x"][from] + width);
                  Values gain = a["gain"];
                  const auto loss = [&] {
                    const Values y = rms_norm(row, gain);
                    double sum = 0;
                    for (size_t i = 0; i < y.size(); ++i) sum += a["dy"][from + i] * y[i];
                    return sum;
                  };
                  const auto slope = [&](double& variable) {
                    const double kept = variable;
                    const double d = derivative([&](double v) { return variable = v, loss(); }, kept, 2e-6);
                    variable = kept;
                    return d;
                  };
                  for (size_t i = 0; i < at(width); ++i) {
                    a["dx"][from + i] = slope(row[i]);
                    a["gain_terms"][from + i] = slope(gain[i]);
                  }
                }
              });
    // The zero row's slopes are in the hundreds, and a difference's rounding in the last digits of its loss.
    cases.list.back().tolerance = {{"dx", {1e-5, 1e-5}}, {"gain_terms", {1e-5, 1e-5}}};
    cases.list.back().tolerance64 = {{"dx", {1e-8, 1e-7}}, {"gain_terms", {1e-8, 1e-7}}};
  }
}

}  // namespace

void network_cases(Cases& cases) {
  activation_cases(cases);
  column_sum_cases(cases);
  rms_norm_cases(cases);
}

}  // namespace foxhunt::kernels::test
