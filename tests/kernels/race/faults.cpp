#include "faults.hpp"

#include <foxhunt/kernel.hpp>
#include <numeric>

#include "cases.hpp"
#include "probes.hpp"

namespace foxhunt::kernels::test {
namespace {

constexpr uint64_t rows_bytes(const int64_t*, uint32_t) { return 64 * sizeof(float); }
constexpr uint64_t thread_bytes(const int64_t*, uint32_t block_dim) { return block_dim * sizeof(float); }
constexpr uint64_t constant_bytes(const int64_t*, uint32_t) { return 32 * sizeof(float); }

// The faulty kernel and the mended one have the same parameters.
#define FAULT(name, shared_, mended_shared, ...)                                                      \
  FOXHUNT_KERNEL(name, "faults/" #name ".cu", 256, FOXHUNT_PARAMS(__VA_ARGS__), FOXHUNT_NO_CONSTANTS, \
                 shared_);                                                                            \
  FOXHUNT_KERNEL(name##_mended, "faults/" #name ".cu", 256, FOXHUNT_PARAMS(__VA_ARGS__),              \
                 FOXHUNT_NO_CONSTANTS, mended_shared)

FAULT(missing_barrier, rows_bytes, rows_bytes, {"x", FH_F32, FH_IN}, {"y", FH_F32, FH_OUT},
      {"n", FH_I32, FH_SCALAR});
FAULT(missing_second_barrier, rows_bytes, rows_bytes, {"x", FH_F32, FH_IN}, {"y", FH_F32, FH_OUT},
      {"n", FH_I32, FH_SCALAR}, {"rows", FH_I32, FH_SCALAR});
FAULT(divergent_barrier, rows_bytes, rows_bytes, {"x", FH_F32, FH_IN}, {"y", FH_F32, FH_OUT},
      {"n", FH_I32, FH_SCALAR});
FAULT(reads_other_block, nullptr, nullptr, {"x", FH_F32, FH_IN}, {"doubled", FH_F32, FH_OUT},
      {"y", FH_F32, FH_OUT}, {"n", FH_I32, FH_SCALAR});
FAULT(sum_of_blocks, nullptr, nullptr, {"x", FH_F32, FH_IN}, {"total", FH_F32, FH_INOUT},
      {"of_block", FH_F32, FH_OUT}, {"n", FH_I32, FH_SCALAR});
FAULT(shared_overrun, constant_bytes, thread_bytes, {"x", FH_F32, FH_IN}, {"y", FH_F32, FH_OUT},
      {"n", FH_I32, FH_SCALAR});

#undef FAULT

const compute::KernelLibrary& fault_kernels() {
  static const compute::KernelLibrary library = [] {
    compute::KernelLibrary l{
        "planted faults",
        {&missing_barrier, &missing_barrier_mended, &missing_second_barrier, &missing_second_barrier_mended,
         &divergent_barrier, &divergent_barrier_mended, &reads_other_block, &reads_other_block_mended,
         &sum_of_blocks, &sum_of_blocks_mended, &shared_overrun, &shared_overrun_mended},
        {}};
    for (size_t i = 0; i < l.kernels.size(); i += 2)
      l.sources.push_back({l.kernels[i]->file, test_source(l.kernels[i]->file)});
    return l;
  }();
  return library;
}

void add(Cases& cases, const fh_kernel& faulty, const fh_kernel& mended, const std::string& name,
         int64_t blocks, const std::vector<Values>& arguments,
         const std::function<void(Arguments&)>& reference) {
  for (const fh_kernel* kernel : {&faulty, &mended})
    cases.add(fault_kernels(), *kernel, name, Grid::blocks(blocks), {}, arguments, reference);
}

// y is each row of x backwards.
std::function<void(Arguments&)> backwards(int64_t n) {
  return [n](Arguments& a) {
    for (size_t first = 0; first < a["x"].size(); first += at(n))
      for (size_t i = 0; i < at(n); ++i) a["y"][first + i] = a["x"][first + at(n) - 1 - i];
  };
}

}  // namespace

const std::vector<KernelCase>& fault_cases() {
  static const std::vector<KernelCase> all = [] {
    Cases cases;
    for (const int64_t n : {7, 33}) {
      const std::string name = "n " + std::to_string(n);
      const Values size{static_cast<double>(n)};
      add(cases, missing_barrier, missing_barrier_mended, name, 1, {normal(n, 1), unwritten(n), size},
          backwards(n));
      add(cases, missing_second_barrier, missing_second_barrier_mended, name, 1,
          {normal(5 * n, 1), unwritten(5 * n), size, {5}}, backwards(n));
      add(cases, divergent_barrier, divergent_barrier_mended, name, 1, {normal(n, 1), unwritten(n), size},
          backwards(n));
      add(cases, reads_other_block, reads_other_block_mended, name, 3,
          {integers(3 * n, 1, 1, 9), unwritten(3 * n), unwritten(3 * n), {3.0 * static_cast<double>(n)}},
          [n](Arguments& a) {
            for (size_t i = 0; i < at(3 * n); ++i) {
              a["doubled"][i] = 2 * a["x"][i];
              a["y"][i] = 2 * a["x"][(i + 1) % at(3 * n)];
            }
          });
      // The mended kernel leaves the total to a later launch.
      for (const fh_kernel* kernel : {&sum_of_blocks, &sum_of_blocks_mended})
        cases.add(fault_kernels(), *kernel, name, Grid::blocks(n), {},
                  {integers(n, 1, 1, 9), {0}, unwritten(n), size}, [kernel](Arguments& a) {
                    a["of_block"] = a["x"];
                    if (kernel == &sum_of_blocks)
                      a["total"][0] = std::accumulate(a["x"].begin(), a["x"].end(), 0.0);
                  });
      add(cases, shared_overrun, shared_overrun_mended, name, 1, {normal(n, 1), unwritten(n), size},
          [](Arguments& a) { a["y"] = a["x"]; });
    }
    return std::move(cases.list);
  }();
  return all;
}

}  // namespace foxhunt::kernels::test
