#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "kernels/diagnostics.hpp"
#include "kernels/manifest.hpp"

namespace foxhunt::kernels::test {
namespace {

void series_cases(Cases& cases) {
  const struct {
    int64_t rows, n;
    double valid;
  } settings[] = {{1, 1, 1}, {3, 7, 0.6}, {5, 33, 0.8}, {2, 33, 0}, {2, 1000, 0.9}};
  for (const auto& s : settings) {
    // A NaN in a sample that is not valid is nobody's business, in one that is it shows.
    Values series = with(normal(s.rows * s.n, 1, 1e3), {std::nan("")}), valid = flags(s.n, 2, s.valid);
    if (s.rows < 5) valid[0] = 0;
    cases.add(program_kernels(), series_sums, std::to_string(s.rows) + " x " + std::to_string(s.n),
              Grid::blocks(s.rows), {}, {series, valid, unwritten(3 * s.rows), {static_cast<double>(s.n)}},
              [=](Arguments& a) {
                for (int64_t r = 0; r < s.rows; ++r) {
                  double count = 0, sum = 0, squares = 0;
                  for (int64_t i = 0; i < s.n; ++i) {
                    if (a["valid"][at(i)] == 0) continue;
                    const double v = a["series"][at(r * s.n + i)];
                    count += 1, sum += v, squares += v * v;
                  }
                  const double row[] = {count, sum, squares};
                  std::copy(row, row + 3, &a["out"][at(3 * r)]);
                }
              })
        .tolerance["out"] = {1e-9, 1e-12};
  }
}

void count_cases(Cases& cases) {
  for (const int64_t n : {1, 7, 33, 1000})
    cases.add(program_kernels(), action_counts, "n " + std::to_string(n), Grid::blocks(9), {},
              {integers(n, 1, 0, 7), flags(n, 2), unwritten(9), {static_cast<double>(n)}}, [n](Arguments& a) {
                a["out"] = same(9, 0);
                for (int64_t i = 0; i < n; ++i) a["out"][at(static_cast<int64_t>(a["action"][at(i)]))] += a["valid"][at(i)];
              });
}

void total_cases(Cases& cases) {
  for (const int64_t n : {1, 7, 33, 1000})
    cases.add(program_kernels(), account_totals, "accounts " + std::to_string(n), Grid::blocks(1), {},
              {normal(n, 1, 1e4), normal(n, 2, 10), integers(n, 3, 0, 1000), integers(n, 4, 0, 500), integers(n, 5, 0, 3),
               with(integers(n, 6, -4, 4), {-0.0}), unwritten(7), {static_cast<double>(n)}},
              [n](Arguments& a) {
                a["out"] = same(7, 0);
                for (int64_t i = 0; i < n; ++i) {
                  const double lots = a["position"][at(i)];
                  const double row[] = {a["pnl"][at(i)],      a["fees"][at(i)],     a["trades"][at(i)],
                                        a["wins"][at(i)],     a["episodes"][at(i)], std::abs(lots),
                                        lots != 0 ? 1.0 : 0.0};
                  for (size_t k = 0; k < 7; ++k) a["out"][k] += row[k];
                }
              })
        .tolerance["out"] = {1e-8, 1e-12};
}

void segment_cases(Cases& cases) {
  const int64_t n = 400;
  cases.add(program_kernels(), segment_squares, "segments of 0, 1, 7, 33, 300, one with a NaN", Grid::blocks(6), {},
            {with(normal(n, 1), {std::nan(""), 1e25, -1e25}), {0, 1, 0, 0, 1, 1, 2, 7, 9, 33, 50, 300}, unwritten(6)},
            [](Arguments& a) {
              for (size_t s = 0; s < 6; ++s) {
                const auto offset = static_cast<size_t>(a["segments"][2 * s]);
                a["out"][s] = 0;
                for (size_t i = 0; i < static_cast<size_t>(a["segments"][2 * s + 1]); ++i)
                  a["out"][s] += std::pow(a["values"][offset + i], 2);
              }
            })
      .tolerance["out"] = {1e-10, 1e-12};

  // Segments: nothing; the same; from 0; moved; one value moved by the last bit; NaN.
  std::vector<double> before = with(normal(n, 1), {0.5, 0, 0}), after = before;
  after[1] = 0.25, after[2] = -0.25;
  for (size_t i = 3; i < 36; ++i) after[i] *= 1.01f;
  after[200] = std::nextafter(static_cast<float>(before[200]), 10.f);
  after[399] = std::nan("");
  cases.add(program_kernels(), segment_change, "segments that moved, stood still, came from 0 and went bad", Grid::blocks(6), {},
            {before, after, {0, 0, 0, 1, 1, 2, 3, 33, 36, 300, 390, 10}, unwritten(6)},
            [](Arguments& a) {
              for (size_t s = 0; s < 6; ++s) {
                const auto offset = static_cast<size_t>(a["segments"][2 * s]), length = static_cast<size_t>(a["segments"][2 * s + 1]);
                double moved = 0, was = 0, is = 0;
                for (size_t i = offset; i < offset + length; ++i) {
                  moved += std::pow(a["after"][i] - a["before"][i], 2);
                  was += std::pow(a["before"][i], 2);
                  is += std::pow(a["after"][i], 2);
                }
                a["out"][s] = moved == 0 ? 0 : std::sqrt(moved / std::max(was, is));
              }
            })
      .tolerance["out"] = {1e-9, 1e-15};
}

void record_cases(Cases& cases) {
  for (const int64_t n : {1, 7, 33})
    for (const double step : {0.0, 5.0, 12884901893.0})
      cases.add(program_kernels(), record_metrics, "n " + std::to_string(n) + " step " + std::to_string(step),
                Grid::elements(n), {},
                {normal(n, 1), {step}, unwritten(4 * n), {4}, {static_cast<double>(n)}}, [=](Arguments& a) {
                  for (int64_t i = 0; i < n; ++i)
                    a["ring"][at(static_cast<int64_t>(step) % 4 * n + i)] = a["record"][at(i)];
                });
}

double correlation(const double* x, const double* y, int64_t n) {
  if (std::all_of(x, x + n, [&](double v) { return v == x[0]; })) return 0;
  if (std::all_of(y, y + n, [&](double v) { return v == y[0]; })) return 0;
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
  for (int64_t i = 0; i < n; ++i) mean_x += x[i] / static_cast<double>(n), mean_y += y[i] / static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xy / std::sqrt(xx * yy);
}

void agreement_cases(Cases& cases) {
  const struct {
    int64_t samples, actions;
  } shapes[] = {{1, 2}, {7, 1}, {33, 9}, {33, 7}, {33, 11}, {7, 3}};
  for (const auto& [n, width] : shapes) {
    Values q = normal(n * width, 1, 2), logits = normal(n * width, 2, 2);
    const auto row = [width = width](Values& v, int64_t r, auto f) {
      for (int64_t a = 0; a < width; ++a) v[at(r * width + a)] = f(a);
    };
    if (n > 5) {
      // No spread in Q, in pi, in both: values whose mean does not come out exactly.
      row(q, 0, [](int64_t) { return 0.1; });
      row(logits, 1, [](int64_t) { return 0.3; });
      row(q, 2, [](int64_t) { return 1e-8 / 3; });
      row(logits, 2, [](int64_t) { return -7.7; });
      // The same and the opposite order, with a large offset.
      row(q, 3, [](int64_t a) { return 1000 + 0.25 * static_cast<double>(a); });
      row(logits, 3, [](int64_t a) { return static_cast<double>(a); });
      row(q, 4, [](int64_t a) { return -1e9 * static_cast<double>(a); });
      row(logits, 4, [](int64_t a) { return 0.5 * static_cast<double>(a); });
      q[at(5 * width + width - 1)] = std::nan("");
    }
    for (int64_t r = 6; r < n; r += 2) {
      row(q, r, [r](int64_t) { return 0.1 * static_cast<double>(r); });
      row(logits, r, [r](int64_t) { return 0.37 * static_cast<double>(r); });
    }
    cases.add(program_kernels(), q_pi_agreement, std::to_string(n) + " x " + std::to_string(width), Grid::elements(n),
              {constant("ACTIONS", width)},
              {q, logits, integers(n, 3, 0, width - 1), unwritten(4 * n), {static_cast<double>(n)}},
              [n = n, width = width](Arguments& a) {
                for (int64_t i = 0; i < n; ++i) {
                  const double *x = &a["q"][at(i * width)], *y = &a["logits"][at(i * width)];
                  const bool bad = std::any_of(x, x + width, [](double v) { return std::isnan(v); });
                  double sum = 0;
                  for (int64_t k = 0; k < width; ++k) sum += x[k];
                  a["series"][at(i)] = bad ? std::nan("") : correlation(x, y, width);
                  a["series"][at(n + i)] =
                      bad ? std::nan("") : *std::max_element(x, x + width) - *std::min_element(x, x + width);
                  a["series"][at(2 * n + i)] = x[static_cast<int64_t>(a["action"][at(i)])];
                  a["series"][at(3 * n + i)] = sum / static_cast<double>(width);
                }
              })
        .tolerance["series"] = {1e-5, 1e-6};
  }
}

void edge_mass_cases(Cases& cases) {
  const int64_t actions = 3;
  for (const auto& [n, atoms] : {std::pair<int64_t, int64_t>{1, 2}, {7, 21}, {33, 51}}) {
    Values lp;
    for (int64_t r = 0; r < n * actions; ++r) {
      Values row = normal(atoms, static_cast<uint64_t>(r), 4);
      if (r == 1) row[0] = 400;
      row = log_softmax(row.data(), atoms);
      lp.insert(lp.end(), row.begin(), row.end());
    }
    cases.add(program_kernels(), edge_mass, std::to_string(n) + " x " + std::to_string(atoms), Grid::elements(n),
              {constant("ACTIONS", actions)},
              {lp, integers(n, 3, 0, actions - 1), unwritten(n), {static_cast<double>(atoms)}, {static_cast<double>(n)}},
              [n = n, atoms = atoms](Arguments& a) {
                for (int64_t i = 0; i < n; ++i) {
                  const double* row = &a["log_probs"][at((i * 3 + static_cast<int64_t>(a["action"][at(i)])) * atoms)];
                  a["series"][at(i)] = std::exp(row[0]) + std::exp(row[atoms - 1]);
                }
              });
  }
}

void recent_returns_cases(Cases& cases) {
  const struct {
    int64_t n, capacity, before;
    double share;
  } settings[] = {{1, 100, 0, 1}, {7, 3, 2, 0.5}, {33, 100, 95, 0.4}, {33, 5, 1000, 1}, {33, 100, 7, 0}, {3000, 100, 3, 0.3}};
  for (const auto& s : settings) {
    const Values held = with(unwritten(s.capacity), normal(std::min(s.before, s.capacity), 4));
    cases.add(program_kernels(), recent_returns, std::to_string(s.n) + " into " + std::to_string(s.capacity) + " after " + std::to_string(s.before),
              Grid::blocks(1), {},
              {normal(s.n, 1, 50), integers(s.n, 2, 0, 2), flags(s.n, 3, s.share), held, {static_cast<double>(s.before)}, unwritten(2),
               {static_cast<double>(s.capacity)}, {static_cast<double>(s.n)}},
              [=](Arguments& a) {
                int64_t ended = s.before;
                for (int64_t i = 0; i < s.n; ++i)
                  if (a["valid"][at(i)] != 0 && a["done"][at(i)] != 0) a["recent"][at(ended++ % s.capacity)] = a["score"][at(i)];
                const int64_t count = std::min(ended, s.capacity);
                double sum = 0;
                for (int64_t k = 0; k < count; ++k) sum += a["recent"][at(k)];
                a["ended"] = {static_cast<double>(ended)};
                a["out"] = {count ? sum / static_cast<double>(count) : 0, static_cast<double>(count)};
              })
        .large = s.n > 1000;
  }
}

}  // namespace

void diagnostics_cases(Cases& cases) {
  recent_returns_cases(cases);
  for (const int64_t n : {1, 33, 3000})
    cases.add(program_kernels(), count_sum, "n " + std::to_string(n), Grid::blocks(1), {},
              {integers(n, 1, 0, 1 << 30), unwritten(1), {static_cast<double>(n)}},
              [](Arguments& a) {
                double sum = 0;
                for (const double v : a["counts"]) sum += v;
                a["out"] = {sum};
              })
        .large = n > 1000;
  cases.add(program_kernels(), ring_size, "of 77", Grid::elements(1), {}, {{3, 77}, unwritten(1)}, [](Arguments& a) { a["out"] = {77}; });
  series_cases(cases);
  count_cases(cases);
  total_cases(cases);
  segment_cases(cases);
  record_cases(cases);
  agreement_cases(cases);
  edge_mass_cases(cases);
}

}  // namespace foxhunt::kernels::test
