#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "kernels/manifest.hpp"
#include "kernels/optimizer.hpp"

namespace foxhunt::kernels::test {

void balance_cases(Cases& cases) {
  for (const auto& [n, parts] : {std::pair<int64_t, int64_t>{1, 1}, {7, 1}, {33, 4}, {5, 8}, {5000, 3}}) {
    cases.add(program_kernels(), partial_squares, std::to_string(n) + " in " + std::to_string(parts), Grid::blocks(parts), {},
              {normal(n, 1), unwritten(parts), {static_cast<double>(n)}, {static_cast<double>(parts)}},
              [n = n, parts = parts](Arguments& a) {
                const int64_t each = (n + parts - 1) / parts;
                a["out"] = Values(at(parts), 0);
                for (int64_t i = 0; i < n; ++i) a["out"][at(i / each)] += a["values"][at(i)] * a["values"][at(i)];
              });
    cases.list.back().large = n > 1000;
  }

  const struct {
    const char* name;
    Values squares, factors, state;
    double ratio, limit;
    bool of_policy, weighted;
  } settings[] = {{"first of the policy", {9, 16}, {}, {1, 0, 0, 0, 0}, 0.5, 100, true, false},
                  {"first of the loss: no policy yet", {9}, {4}, {1, 0, 0, 0, 0}, 0.5, 100, false, false},
                  {"the weight follows", {1, 3}, {0.25, 0.75}, {1, 5, 10, 2, 9}, 0.5, 100, false, false},
                  {"later, weighted", {4}, {}, {0.5, 5, 1000, 2, 1000}, 2, 100, false, true},
                  {"at the limit", {1e-12}, {}, {1, 5, 10, 1e-6, 1000}, 1, 10, false, false},
                  {"at the lower limit", {1e12}, {}, {1, 5, 10, 1e6, 1000}, 1, 10, false, false},
                  {"no gradient", {0}, {}, {3, 5, 10, 0, 3}, 1, 10, false, false},
                  {"NaN", {std::nan("")}, {}, {3, 5, 10, 2, 3}, 1, 10, false, false}};
  for (const auto& s : settings)
    cases.add(program_kernels(), balance_observe, s.name, Grid::elements(1), {},
              {s.squares, s.factors.empty() ? Values{7} : s.factors, s.state, {s.ratio}, {s.limit}, {0.01},
               {static_cast<double>(s.squares.size())}, {static_cast<double>(s.factors.size())}, {s.of_policy ? 1.0 : 0.0},
               {s.weighted ? 1.0 : 0.0}},
              [=](Arguments& a) {
                double total = 0, factor = s.factors.empty() ? 1 : 0;
                for (const double v : s.squares) total += v;
                for (const double v : s.factors) factor += v;
                Values& state = a["state"];
                const double norm = std::sqrt(total * factor) / (s.weighted ? state[0] : 1);
                const size_t k = s.of_policy ? 1 : 3;
                if (std::isfinite(norm)) {
                  state[k + 1] += 1;
                  state[k] += std::max(0.01, 1 / state[k + 1]) * (norm - state[k]);
                }
                if (!s.of_policy && state[2] > 0 && state[3] > 0)
                  state[0] = std::clamp(s.ratio * state[1] / state[3], 1 / s.limit, s.limit);
              });

  for (const int64_t n : {1, 7, 33})
    cases.add(program_kernels(), balance_scale, "n " + std::to_string(n), Grid::elements(n), {},
              {{0.25, 1, 1, 1, 1}, normal(n, 2), {static_cast<double>(n)}}, [](Arguments& a) {
                for (double& v : a["values"]) v *= 0.25;
              });
}

}  // namespace foxhunt::kernels::test
