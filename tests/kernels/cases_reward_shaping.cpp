#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "plugins/reward_shaping/rank_standardize/kernels.hpp"

namespace foxhunt::kernels::test {
namespace {

namespace rank = rank_standardize;

const compute::KernelLibrary& rank_kernels() {
  static const compute::KernelLibrary library{
      "plugin rank_standardize",
      {&rank::rank_tiles, &rank::rank_merge, &rank::rank_update_ema, &rank::rank_apply},
      {}};
  return library;
}

/// Many ties, zeros, and the values that order badly.
Values rewards(int64_t n, bool edges) {
  Values r = normal(n, static_cast<uint64_t>(n), 3);
  for (size_t i = 0; i < r.size(); i += 2) r[i] = std::round(r[i]);
  return edges ? with(r, {0, -0.0, std::nan(""), INFINITY, -INFINITY, 1e30, -1e30}) : r;
}

double key(double r) { return std::isnan(r) ? -1 : std::abs(r); }

void tile_cases(Cases& cases) {
  for (const int64_t n : {1, 2, 7, 33, 100, 2048, 2049, 5000}) {
    const int64_t tiles = (n + rank::tile - 1) / rank::tile;
    cases.add(rank_kernels(), rank::rank_tiles, "n " + std::to_string(n), Grid::blocks(tiles), {},
              {with(rewards(n, n == 33 || n == 5000), n == 33 ? Values{0, 0, std::nan(""), INFINITY, -INFINITY, 0, 0} : Values{}),
               unwritten(n), unwritten(3 * tiles), {static_cast<double>(n)}},
              [=](Arguments& a) {
                for (int64_t t = 0; t < tiles; ++t) {
                  Values keys, finite;
                  for (int64_t i = t * rank::tile; i < std::min(n, (t + 1) * rank::tile); ++i) {
                    keys.push_back(key(a["reward"][at(i)]));
                    if (std::isfinite(a["reward"][at(i)])) finite.push_back(a["reward"][at(i)]);
                  }
                  std::sort(keys.begin(), keys.end());
                  std::copy(keys.begin(), keys.end(), &a["sorted"][at(t * rank::tile)]);
                  double mean = 0, squares = 0;
                  for (const double v : finite) mean += v / static_cast<double>(finite.size());
                  for (const double v : finite) squares += (v - mean) * (v - mean);
                  const double moments[] = {static_cast<double>(finite.size()), mean, squares};
                  std::copy(moments, moments + 3, &a["moments"][at(3 * t)]);
                }
              });
    cases.list.back().large = n > 2100;
    cases.list.back().tolerance = {{"sorted", {}}, {"moments", {1e-5, 2e-5}}};
    cases.list.back().tolerance64 = {{"sorted", {}}, {"moments", {1e-9, 1e-9}}};
    // Two rewards of 1e30 leave nothing of the others in a mean.
    if (n == 5000)
      cases.list.back().tolerance["moments"] = cases.list.back().tolerance64["moments"] = {INFINITY, 0};
  }
}

void merge_cases(Cases& cases) {
  const struct {
    int64_t n, run;
  } settings[] = {{1, 4}, {7, 2}, {33, 8}, {33, 16}, {33, 64}, {40, 8}, {5000, 2048}};
  for (const auto& s : settings) {
    Values from;
    for (const double r : rewards(s.n, s.n > 30)) from.push_back(key(r));
    for (int64_t i = 0; i < s.n; i += s.run) std::sort(&from[at(i)], from.data() + std::min(i + s.run, s.n));
    cases.add(rank_kernels(), rank::rank_merge, "n " + std::to_string(s.n) + " runs of " + std::to_string(s.run),
              Grid::elements(s.n), {}, {from, unwritten(s.n), {static_cast<double>(s.run)}, {static_cast<double>(s.n)}},
              [=](Arguments& a) {
                a["to"] = a["from"];
                for (int64_t i = 0; i < s.n; i += 2 * s.run)
                  std::sort(&a["to"][at(i)], a["to"].data() + std::min(i + 2 * s.run, s.n));
              });
    cases.list.back().large = s.n > 1000;
    cases.list.back().tolerance["to"] = {};
    cases.list.back().tolerance64["to"] = {};
  }
}

void ema_cases(Cases& cases) {
  const struct {
    const char* name;
    Values moments;
    double ema, count;
    double expected, count_after;
  } settings[] = {
      {"first", {4, 1, 16}, 1, 0, 2, 1},
      {"average", {4, 1, 16}, 1, 3, 1.25, 4},
      {"floor", {4, 1, 16}, 1, 1000, 1.125, 1001},
      // {1, 3} and {5}: mean 3, squares 8.
      {"two tiles", {2, 2, 2, 1, 5, 0}, 0, 0, std::sqrt(8.0 / 3), 1},
      {"a tile without a reward", {0, 0, 0, 2, 5, 8}, 0, 0, 2, 1},
      {"one reward", {1, 7, 0}, 0.5, 9, 0.5, 9},
      {"none", {0, 0, 0}, 0.5, 9, 0.5, 9},
      {"count stays at its end", {4, 1, 16}, 1, 4294967295.0, 1.125, 4294967295.0},
  };
  for (const auto& s : settings)
    cases.add(rank_kernels(), rank::rank_update_ema, s.name, Grid::blocks(1), {},
              {s.moments, {s.ema}, {s.count}, {0.125}, {static_cast<double>(s.moments.size() / 3)}}, [=](Arguments& a) {
                a["std_ema"] = {s.expected};
                a["count"] = {s.count_after};
              });
}

void apply_cases(Cases& cases) {
  for (const int64_t n : {1, 7, 33, 5000})
    for (const bool nonzero : {false, true}) {
      const Values reward = rewards(n, n > 7);
      Values sorted;
      for (const double r : reward) sorted.push_back(key(r));
      std::sort(sorted.begin(), sorted.end());
      cases.add(rank_kernels(), rank::rank_apply, "n " + std::to_string(n) + (nonzero ? " nonzero" : ""),
                Grid::elements(n), {},
                {reward, sorted, {1.5}, unwritten(n), {nonzero ? 1.0 : 0.0}, {static_cast<double>(n)}},
                [=](Arguments& a) {
                  const auto counted = [&](double m) { return m > 0 || (m == 0 && !nonzero); };
                  for (int64_t i = 0; i < n; ++i) {
                    const double r = a["reward"][at(i)];
                    double below = 0, all = 0;
                    for (const double m : a["sorted"]) {
                      all += counted(m);
                      below += counted(m) && m <= std::abs(r);
                    }
                    a["shaped"][at(i)] = std::isnan(r) ? r : r == 0 ? 0 : std::copysign(below / all * 1.5, r);
                  }
                });
      cases.list.back().large = n > 1000;
    }
}

}  // namespace

void reward_shaping_cases(Cases& cases) {
  tile_cases(cases);
  merge_cases(cases);
  ema_cases(cases);
  apply_cases(cases);
}

}  // namespace foxhunt::kernels::test
