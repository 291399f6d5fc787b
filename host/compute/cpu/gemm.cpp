#include "gemm.hpp"

#include <cblas.h>

#include <algorithm>
#include <string>

namespace foxhunt::compute::cpu {
namespace {

void call(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, float alpha, const float* a, int lda,
          const float* b, int ldb, float beta, float* c, int ldc) {
  cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void call(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, double alpha, const double* a, int lda,
          const double* b, int ldb, double beta, double* c, int ldc) {
  cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

template <class T>
void multiply_tile(const Product<T>& p, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  T* c = p.c + row * p.n + column;
  T beta = p.beta;
  if (p.bias || p.k == 0) {  // C = beta C + bias first, while beta = 0 must not read C
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        const T old = beta == 0 ? T(0) : beta * c[i * p.n + j];
        c[i * p.n + j] = p.bias ? old + p.bias[column + j] : old;
      }
    beta = 1;
  }
  if (p.k == 0) return;
  const auto lda = static_cast<int>(p.transpose_a ? p.m : p.k),
             ldb = static_cast<int>(p.transpose_b ? p.k : p.n);
  call(p.transpose_a ? CblasTrans : CblasNoTrans, p.transpose_b ? CblasTrans : CblasNoTrans,
       static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(p.k), p.alpha,
       p.transpose_a ? p.a + row : p.a + row * p.k, lda, p.transpose_b ? p.b + column * p.k : p.b + column,
       ldb, beta, c, static_cast<int>(p.n));
}

}  // namespace

Tiling tiling(int64_t m, int64_t n, int64_t k) {
  // Below a million multiplications (20 µs) two small calls hinder each other in OpenBLAS more than they
  // gain. Above, tiles of about 4 M, not smaller than 64 x 48 where the shape allows: every tile packs its
  // operands anew.
  if (m <= 0 || n <= 0) return {0, 0, 0, 0};
  const double work =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::max<int64_t>(k, 1));
  Tiling t{m, n, 1, 1};
  if (work < 1e6) return t;
  const auto wanted = static_cast<int64_t>(std::clamp(work / 4e6, 2.0, 256.0));
  t.down = std::clamp<int64_t>(std::min(wanted, m / 64), 1, wanted);
  if (t.down < wanted) t.across = std::clamp<int64_t>(std::min(ceil_div(wanted, t.down), n / 48), 1, wanted);
  // Whole multiples of the micro-kernels' widths.
  t.rows = std::min(m, ceil_div(ceil_div(m, t.down), 16) * 16);
  t.columns = std::min(n, ceil_div(ceil_div(n, t.across), 16) * 16);
  t.down = ceil_div(m, t.rows);
  t.across = ceil_div(n, t.columns);
  return t;
}

template <class T>
void multiply(Pool& pool, const Product<T>& p, const Tiling& tiles) {
  pool.run(tiles.pieces(), [&](int64_t piece, int) {
    const int64_t row = piece / tiles.across * tiles.rows, column = piece % tiles.across * tiles.columns;
    multiply_tile(p, row, column, std::min(tiles.rows, p.m - row), std::min(tiles.columns, p.n - column));
  });
}

template void multiply<float>(Pool&, const Product<float>&, const Tiling&);
template void multiply<double>(Pool&, const Product<double>&, const Tiling&);

void prepare_blas() { openblas_set_num_threads(1); }

const char* blas_name() {
  static const std::string name = [] {
    // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …": the first two words.
    const std::string config = openblas_get_config();
    return config.substr(0, config.find(' ', config.find(' ') + 1)) + " " + openblas_get_corename();
  }();
  return name.c_str();
}

}  // namespace foxhunt::compute::cpu
