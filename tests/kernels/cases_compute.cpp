#include <cmath>

#include "cases.hpp"
#include "compute/cuda/kernels.hpp"

namespace foxhunt::kernels::test {

void compute_cases(Cases& cases) {
  using namespace compute::cuda;
  const compute::KernelLibrary& library = own_library();
  for (const int64_t n : {1, 7, 33}) {
    const auto count = static_cast<double>(n);
    cases.add(library, fill_words32, "n " + std::to_string(n), Grid::elements(n), {}, {unwritten(n), {4294967295.0}, {count}},
              [n](Arguments& a) { a["y"] = same(n, 4294967295.0); });
    cases.add(library, fill_words64, "n " + std::to_string(n), Grid::elements(n), {}, {unwritten(n), {0x1p63}, {count}},
              [n](Arguments& a) { a["y"] = same(n, 0x1p63); });
  }
  const struct {
    int64_t m, n, k;
    bool ta, tb, bias;
    double alpha, beta;
  } products[] = {{1, 1, 1, false, false, false, 1, 0}, {7, 33, 5, false, false, true, 1, 0},
                  {33, 7, 9, true, false, true, 0.5, 1}, {5, 7, 33, false, true, false, 1, -0.25},
                  {3, 4, 5, true, true, true, 2, 0},     {3, 4, 0, false, false, true, 1, 0}};
  for (const auto& p : products)
    cases.add(library, gemm_direct, std::to_string(p.m) + " x " + std::to_string(p.n) + " x " + std::to_string(p.k),
              Grid::elements(p.m * p.n), {},
              {normal(p.m * p.k, 1), normal(p.k * p.n, 2), normal(p.n, 3),
               p.beta == 0 ? unwritten(p.m * p.n) : normal(p.m * p.n, 4), {static_cast<double>(p.m)},
               {static_cast<double>(p.n)}, {static_cast<double>(p.k)}, {p.ta ? 1.0 : 0.0}, {p.tb ? 1.0 : 0.0},
               {p.bias ? 1.0 : 0.0}, {p.alpha}, {p.beta}},
              [=](Arguments& a) {
                for (int64_t i = 0; i < p.m; ++i)
                  for (int64_t j = 0; j < p.n; ++j) {
                    double sum = 0;
                    for (int64_t l = 0; l < p.k; ++l)
                      sum += a["a"][at(p.ta ? l * p.m + i : i * p.k + l)] * a["b"][at(p.tb ? j * p.k + l : l * p.n + j)];
                    double& c = a["c"][at(i * p.n + j)];
                    c = p.alpha * sum + (p.beta == 0 ? 0 : p.beta * c) + (p.bias ? a["bias"][at(j)] : 0);
                  }
              });
}

}  // namespace foxhunt::kernels::test
