#include <algorithm>
#include <cmath>
#include <numeric>

#include "cases.hpp"
#include "probes.hpp"

namespace foxhunt::kernels::test {
namespace {

void reduce_cases(Cases& cases) {
  for (const auto& [rows, n] : {std::pair<int64_t, int64_t>{1, 1}, {3, 2}, {3, 7}, {5, 33}, {2, 1000}}) {
    const std::string name = std::to_string(rows) + " x " + std::to_string(n);
    cases.add(probe_kernels(), probe_reduce, name, Grid::blocks(rows), {},
              {normal(rows * n, 1), unwritten(rows * n), unwritten(rows * n), unwritten(rows * n),
               {static_cast<double>(n)}},
              [rows = rows, n = n](Arguments& a) {
                for (int64_t r = 0; r < rows; ++r) {
                  const double* x = &a["x"][at(r * n)];
                  const double sum = std::accumulate(x, x + n, 0.0), highest = *std::max_element(x, x + n);
                  std::fill_n(&a["sum"][at(r * n)], n, sum);
                  std::fill_n(&a["plain_sum"][at(r * n)], n, sum);
                  std::fill_n(&a["highest"][at(r * n)], n, highest);
                }
              });
    // With one thread a block these are sums from left to right.
    const Tolerance in_turn{2e-7 * static_cast<double>(n), 1e-6};
    cases.list.back().tolerance = {{"sum", in_turn}, {"plain_sum", in_turn}, {"highest", {}}};
    cases.add(probe_kernels(), probe_scan, name, Grid::blocks(rows), {},
              {integers(rows * n, 2, -9, 9), unwritten(rows * n), unwritten(rows), {static_cast<double>(n)}},
              [rows = rows, n = n](Arguments& a) {
                for (int64_t r = 0; r < rows; ++r) {
                  double sum = 0;
                  for (int64_t i = r * n; i < (r + 1) * n; ++i) {
                    a["before"][at(i)] = sum;
                    sum += a["x"][at(i)];
                  }
                  a["total"][at(r)] = sum;
                }
              });
  }
  cases.add(probe_kernels(), probe_reduce, "a NaN, an infinity", Grid::blocks(2), {},
            {{1, std::nan(""), 3, 1, INFINITY, 3}, unwritten(6), unwritten(6), unwritten(6), {3}}, [](Arguments& a) {
              for (const char* name : {"sum", "plain_sum", "highest"})
                a[name] = {std::nan(""), std::nan(""), std::nan(""), INFINITY, INFINITY, INFINITY};
            });
}

void row_cases(Cases& cases) {
  for (const auto& [rows, width] : {std::pair<int64_t, int64_t>{1, 1}, {7, 3}, {33, 15}, {3, 16}, {3, 17}, {2, 33}}) {
    Values x = normal(rows * width, 1, 3);
    if (rows > 5) std::fill_n(x.begin(), width, 0.25);                       // ties
    if (rows > 5) x[at(width)] = 1e30, x[at(2 * width)] = -1e30;
    cases.add(probe_kernels(), probe_rows, std::to_string(rows) + " x " + std::to_string(width), Grid::elements(rows),
              {},
              {x, unwritten(rows), unwritten(rows), unwritten(rows), unwritten(rows * width),
               {static_cast<double>(width)}, {static_cast<double>(rows)}},
              [rows = rows, width = width](Arguments& a) {
                for (int64_t r = 0; r < rows; ++r) {
                  const double* row = &a["x"][at(r * width)];
                  a["sum"][at(r)] = std::accumulate(row, row + width, 0.0);
                  a["highest"][at(r)] = *std::max_element(row, row + width);
                  a["best"][at(r)] = static_cast<double>(std::max_element(row, row + width) - row);
                  const Values lp = log_softmax(row, width);
                  std::copy(lp.begin(), lp.end(), &a["log_softmax"][at(r * width)]);
                }
              })
        .tolerance["sum"] = {2e-5, 1e-6};
  }
}

// The whole range; how exact, and the special values: accuracy_test.cpp.
void math_cases(Cases& cases) {
  for (const int64_t n : {1, 7, 33, 1000})
    cases.add(probe_kernels(), probe_math, "n " + std::to_string(n), Grid::elements(n), {},
              {with(normal(n, 1, 8), {0, 1, -1, 30}), unwritten(n), unwritten(n), unwritten(n), unwritten(n),
               unwritten(n), unwritten(n), {static_cast<double>(n)}},
              [n](Arguments& a) {
                for (size_t i = 0; i < at(n); ++i) {
                  const double x = a["x"][i];
                  a["exp"][i] = std::exp(x);
                  a["log"][i] = std::log(x);
                  a["log1p"][i] = std::log1p(x);
                  a["tanh"][i] = std::tanh(x);
                  a["sigmoid"][i] = 1 / (1 + std::exp(-x));
                  a["softplus"][i] = x > 20 ? x : std::log1p(std::exp(x));
                }
              });
  const double nan = std::nan("");
  cases.add(probe_kernels(), probe_min_max, "edges", Grid::elements(9), {},
            {{1, 2, nan, 1, nan, -INFINITY, INFINITY, 3, INFINITY}, {2, 1, 1, nan, nan, INFINITY, nan, 3, -5},
             unwritten(9), unwritten(9), {9}},
            [](Arguments& a) {
              for (size_t i = 0; i < 9; ++i) {
                const double x = a["a"][i], y = a["b"][i];
                const bool bad = std::isnan(x) || std::isnan(y);
                a["lower"][i] = bad ? std::nan("") : std::min(x, y);
                a["higher"][i] = bad ? std::nan("") : std::max(x, y);
              }
            });
}

void philox_cases(Cases& cases) {
  for (const int64_t n : {1, 7, 33})
    cases.add(probe_kernels(), probe_philox, "n " + std::to_string(n), Grid::elements(n), {},
              {integers(4 * n, 1, 0, 4294967295), unwritten(4 * n), unwritten(n), unwritten(n), {4000000000.0}, {7},
               {static_cast<double>(n)}},
              [n](Arguments& a) {
                for (size_t i = 0; i < at(n); ++i) {
                  uint32_t counter[4];
                  for (size_t k = 0; k < 4; ++k) counter[k] = static_cast<uint32_t>(a["counter"][4 * i + k]);
                  const PhiloxBlock block = philox({4000000000u, 7}, counter);
                  for (size_t k = 0; k < 4; ++k) a["words"][4 * i + k] = block.word[k];
                  const double u = (block.word[0] / 512 + 0.5) * 0x1p-23;
                  a["uniform"][i] = u;
                  a["gumbel"][i] = -std::log(-std::log(u));
                }
              })
        .tolerance64["gumbel"] = {2e-6, 2e-6};  // drawn in float in both
}

}  // namespace

void common_cases(Cases& cases) {
  reduce_cases(cases);
  row_cases(cases);
  math_cases(cases);
  philox_cases(cases);
}

}  // namespace foxhunt::kernels::test
