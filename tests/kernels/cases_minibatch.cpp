#include <algorithm>
#include <numeric>

#include "cases.hpp"
#include "kernels/agent.hpp"
#include "kernels/manifest.hpp"

namespace foxhunt::kernels::test {
namespace {

/// The permutation, element by element: six rounds of a Feistel network on 2 x half bits, again until below n.
int64_t shuffled(int64_t i, int64_t n, int half_bits) {
  const auto mask = (uint32_t{1} << half_bits) - 1;
  auto at = static_cast<uint32_t>(i);
  do {
    uint32_t left = at >> half_bits, right = at & mask;
    for (uint32_t round = 0; round < 6; ++round) {
      const uint32_t f = philox({11, 22}, {right, 3 * 8 + round, 9, 5}).word[0] & mask;
      std::swap(left, right);
      right ^= f;
    }
    at = left << half_bits | right;
  } while (at >= n);
  return at;
}

void order_cases(Cases& cases) {
  for (const auto& [n, half_bits] : {std::pair{1, 1}, {4, 1}, {7, 2}, {33, 3}, {64, 3}, {5000, 7}})
    cases.add(program_kernels(), shuffled_order, "n " + std::to_string(n), Grid::elements(n), {},
              {{0x5'0000'0009}, unwritten(n), {11}, {22}, {3}, {static_cast<double>(half_bits)}, {static_cast<double>(n)}},
              [n = n, half_bits = half_bits](Arguments& a) {
                for (int64_t i = 0; i < n; ++i) a["order"][at(i)] = static_cast<double>(shuffled(i, n, half_bits));
                Values sorted = a["order"], all(at(n));
                std::sort(sorted.begin(), sorted.end());
                std::iota(all.begin(), all.end(), 0);
                if (sorted != all) a["order"].assign(at(n), -1);  // the reference itself must be a permutation
              })
        .large = n > 1000;
}

void gather_cases(Cases& cases) {
  const struct {
    int64_t horizon, accounts, chosen, columns;
  } shapes[] = {{1, 1, 1, 1}, {1, 33, 7, 9}, {4, 7, 3, 5}, {3, 33, 33, 1}, {16, 5, 2, 48}};
  for (const auto& s : shapes) {
    const std::string name = std::to_string(s.horizon) + " x " + std::to_string(s.chosen) + " of " + std::to_string(s.accounts) +
                             " x " + std::to_string(s.columns);
    const int64_t all = s.horizon * s.accounts, n = s.horizon * s.chosen;
    const Values order = integers(s.chosen, 1, 0, s.accounts - 1);
    const auto number = [](int64_t v) { return Values{static_cast<double>(v)}; };
    cases.add(program_kernels(), gather_rows, name, Grid::elements(n * s.columns), {},
              {order, normal(all * s.columns, 2), unwritten(n * s.columns), number(s.horizon), number(s.accounts),
               number(s.chosen), number(s.columns)},
              [=](Arguments& a) {
                for (int64_t t = 0; t < s.horizon; ++t)
                  for (int64_t j = 0; j < s.chosen; ++j)
                    for (int64_t k = 0; k < s.columns; ++k)
                      a["to"][at((t * s.chosen + j) * s.columns + k)] =
                          a["from"][at((t * s.accounts + static_cast<int64_t>(a["order"][at(j)])) * s.columns + k)];
              });
    cases.add(program_kernels(), gather_flags, name, Grid::elements(n * s.columns), {},
              {order, integers(all * s.columns, 2, 0, 255), unwritten(n * s.columns), number(s.horizon), number(s.accounts),
               number(s.chosen), number(s.columns)},
              [=](Arguments& a) {
                for (int64_t t = 0; t < s.horizon; ++t)
                  for (int64_t j = 0; j < s.chosen; ++j)
                    for (int64_t k = 0; k < s.columns; ++k)
                      a["to"][at((t * s.chosen + j) * s.columns + k)] =
                          a["from"][at((t * s.accounts + static_cast<int64_t>(a["order"][at(j)])) * s.columns + k)];
              });
    cases.add(program_kernels(), gather_samples, name, Grid::elements(n), {},
              {order, integers(all, 2, 0, 8), normal(all, 3), normal(all, 4), normal(all, 5), normal(all, 6), flags(all, 7),
               unwritten(n), unwritten(n), unwritten(n), unwritten(n), unwritten(n), unwritten(n), number(s.horizon),
               number(s.accounts), number(s.chosen)},
              [=](Arguments& a) {
                for (const std::string what : {"action", "log_prob", "advantage", "value", "value_target", "valid"})
                  for (int64_t t = 0; t < s.horizon; ++t)
                    for (int64_t j = 0; j < s.chosen; ++j)
                      a["to_" + what][at(t * s.chosen + j)] =
                          a[what][at(t * s.accounts + static_cast<int64_t>(a["order"][at(j)]))];
              });
  }
}

}  // namespace

void minibatch_cases(Cases& cases) {
  order_cases(cases);
  gather_cases(cases);
}

}  // namespace foxhunt::kernels::test
