#pragma once
#include "../compute/compute.hpp"

namespace foxhunt::trainer {

/// What a device reaches at best, measured on it.
struct Machine {
  double bytes_per_us = 0;  ///< of a copy far larger than any cache, read and written bytes together
  double flops_per_us = 0;  ///< of a large square matrix product in the precision that the options ask for
};
Machine measure_machine(const compute::Options& options);

/// What an operation must at least do, by its declaration. Tensors that a kernel declares as indexed do not count.
struct Work {
  double bytes = 0, flops = 0;
  double floor_us(const Machine& m) const;
};
Work least_work(const compute::Op& op, const compute::Tensors& tensors);

}  // namespace foxhunt::trainer
