#pragma once
#include <cstdint>
#include <foxhunt/kernel.hpp>
#include <foxhunt/recorder.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kernel_case.hpp"

// What the files cases_*.cpp share: one of them for each folder of kernels_src.

namespace foxhunt::kernels::test {

class Cases {
 public:
  std::vector<KernelCase> list;

  /// @param arguments  in the order of the declaration
  KernelCase& add(const compute::KernelLibrary& library, const fh_kernel& kernel, std::string name, Grid grid,
                  std::vector<fh_constant> constants, std::vector<Values> arguments,
                  std::function<void(Arguments&)> reference) {
    list.push_back({&library, &kernel, std::move(name), grid, std::move(constants),
                    Arguments(kernel, std::move(arguments)), std::move(reference)});
    return list.back();
  }
};

void common_cases(Cases& cases);
void compute_cases(Cases& cases);
void environment_cases(Cases& cases);
void classic_control_cases(Cases& cases);
void network_cases(Cases& cases);
void mamba2_cases(Cases& cases);
void agent_cases(Cases& cases);
void selection_cases(Cases& cases);
void baseline_cases(Cases& cases);
void minibatch_cases(Cases& cases);
void replay_cases(Cases& cases);
void sequence_cases(Cases& cases);
void optimizer_cases(Cases& cases);
void balance_cases(Cases& cases);
void diagnostics_cases(Cases& cases);
void q_heads_cases(Cases& cases);
void quantile_cases(Cases& cases);
void dueling_cases(Cases& cases);
void reward_shaping_cases(Cases& cases);
void position_sizing_cases(Cases& cases);

// ---- values: the same for the same seed ----

Values normal(int64_t n, uint64_t seed, double deviation = 1);
/// Integers in [low, high].
Values integers(int64_t n, uint64_t seed, int64_t low, int64_t high);
/// 1 with this probability, else 0.
Values flags(int64_t n, uint64_t seed, double share = 0.8);
Values same(int64_t n, double value);
/// What an output holds before the launch.
Values unwritten(int64_t n);
/// values[0], values[1], … put over the beginning of `onto`.
Values with(Values onto, const Values& values);

// ---- references ----

/// Derivative of f at x: five points, error of order step^4.
template <class F>
double derivative(F&& f, double x, double step = 1e-4) {
  return (8 * (f(x + step) - f(x - step)) - (f(x + 2 * step) - f(x - 2 * step))) / (12 * step);
}

/// x[0..n) - log(sum(exp(x))).
Values log_softmax(const double* x, int64_t n);

struct PhiloxBlock {
  uint32_t word[4];
};
/// Philox 4x32-10 (Salmon et al. 2011).
PhiloxBlock philox(const uint32_t (&key)[2], const uint32_t (&counter)[4]);

inline size_t at(int64_t i) { return static_cast<size_t>(i); }

}  // namespace foxhunt::kernels::test
