#pragma once
#include <cstdint>

#include "pool.hpp"

namespace foxhunt::compute::cpu {

/// A matrix product with resolved addresses; meaning as in GemmOp. T is float or double.
template <class T>
struct Product {
  const T *a, *b;
  T* c;
  const T* bias;  ///< or null
  int64_t m, n, k;
  bool transpose_a, transpose_b;
  T alpha, beta;
};

/// How C is cut into pieces. It depends on the shape alone: OpenBLAS may give other bits for other pieces, so
/// the number of threads must not enter.
struct Tiling {
  int64_t rows, columns;  ///< of a tile; those at the edge are smaller
  int64_t down, across;   ///< number of tiles
  int64_t pieces() const { return down * across; }
};
Tiling tiling(int64_t m, int64_t n, int64_t k);

/// Runs one product on the pool.
template <class T>
void multiply(Pool& pool, const Product<T>& p, const Tiling& tiles);

/// Must be called before the first product: OpenBLAS leaves the threads to us.
void prepare_blas();
/// "OpenBLAS 0.3.21 Zen": what the bits of products depend on.
const char* blas_name();

}  // namespace foxhunt::compute::cpu
