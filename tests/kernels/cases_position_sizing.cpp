#include <cmath>

#include "cases.hpp"
#include "plugins/position_sizing/fixed/kernels.hpp"
#include "plugins/position_sizing/variance/kernels.hpp"

namespace foxhunt::kernels::test {

void position_sizing_cases(Cases& cases) {
  static const compute::KernelLibrary fixed{"plugin fixed", {&fixed_sizer::fixed_size}, {}};
  static const compute::KernelLibrary variance{"plugin variance", {&variance_sizer::variance_size}, {}};
  for (const int64_t n : {1, 7, 33}) {
    const std::string name = "batch " + std::to_string(n);
    const auto count = static_cast<double>(n);
    cases.add(fixed, fixed_sizer::fixed_size, name, Grid::elements(n), {},
              {with(integers(n, 1, -4, 4), {-0.0}), unwritten(n), unwritten(n), {0.3}, {count}}, [n](Arguments& a) {
                a["scale"] = same(n, a.number("share"));
                for (int64_t i = 0; i < n; ++i)
                  a["position"][at(i)] = a["target_position"][at(i)] * a.number("share");
              });
    for (const int64_t actions : {1, 9}) {
      Values spread = normal(n * actions, 2);
      for (double& v : spread) v = v * v * 100;
      if (n == 33) spread = with(spread, {0});
      // The first accounts' variances, whatever they did: rounding's negative zero, none, no number, no bound.
      const Values edges = {-1e-9, 0, std::nan(""), INFINITY, 1e-40};
      for (size_t e = 0; e < edges.size() && n > 5; ++e)
        for (int64_t a = 0; a < actions; ++a) spread[e * at(actions) + at(a)] = edges[e];
      cases.add(variance, variance_sizer::variance_size, name + " actions " + std::to_string(actions),
                Grid::elements(n), {constant("ACTIONS", actions)},
                {spread, integers(n, 3, 0, actions - 1), integers(n, 1, 1, 4), unwritten(n), unwritten(n), {count}},
                [=](Arguments& a) {
                  for (int64_t i = 0; i < n; ++i) {
                    const double v = a["variance_q"][at(i * actions + static_cast<int64_t>(a["action"][at(i)]))];
                    a["scale"][at(i)] = v < 0 ? 1 : 1 / (1 + std::sqrt(v));
                    a["position"][at(i)] = a["target_position"][at(i)] * a["scale"][at(i)];
                  }
                });
    }
  }
}

}  // namespace foxhunt::kernels::test
