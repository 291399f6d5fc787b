// race_runner FOLDER/|KERNEL|CASE [BLOCK_SIZE…]: runs in race mode the cases of all kernels in a folder of
// kernels_src, those of one kernel, or the one with this label. It ends with 0 if every result is as the
// reference has it and ThreadSanitizer reports nothing.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <foxhunt/error.hpp>
#include <map>

#include "compute/cache.hpp"
#include "compute/parallel.hpp"
#include "faults.hpp"
#include "launch.hpp"

namespace {
int reports = 0;
}

extern "C" {
__attribute__((visibility("default"))) void __tsan_on_report(void*) { ++reports; }
__attribute__((visibility("default"))) const char* __tsan_default_options() {
  return "history_size=1 atexit_sleep_ms=0";
}
}

namespace foxhunt::kernels::test {
namespace {

// Blocks of a launch over elements: a GPU may choose any number. More than one, so that their order matters.
constexpr unsigned element_blocks = 3;

std::vector<const KernelCase*> wanted_cases(const std::string& wanted) {
  std::vector<const KernelCase*> found;
  for (const auto* cases : {&all_cases(), &fault_cases()})
    for (const KernelCase& c : *cases)
      if (((wanted == c.kernel->entry || wanted == folder(*c.kernel)) && !c.large) || wanted == c.label())
        found.push_back(&c);
  if (found.empty())
    throw Error("race_runner: no folder or kernel '" + wanted +
                "' has cases that are not large, and no case has this label");
  return found;
}

// The kernels of all cases, compiled several at once or from the cache.
std::vector<compute::cpu::Trampoline> compiled(const std::vector<const KernelCase*>& cases) {
  const auto compiler = compute::cpu::Compiler::find(compute::KernelMode::race);
  const auto cache = compute::Cache::from_environment();
  struct Unit {
    compute::UnitSource source;
    compute::Bytes object;
  };
  std::map<compute::CacheKey, Unit> units;
  std::vector<compute::CacheKey> keys;
  for (const KernelCase* c : cases) {
    compute::UnitSource source = unit_source(c->unit(), compute::KernelMode::race);
    keys.push_back(compiler.key(source));
    units.try_emplace(keys.back(), Unit{std::move(source), {}});
  }
  std::vector<std::pair<const compute::CacheKey, Unit>*> jobs;
  for (auto& unit : units) jobs.push_back(&unit);
  compute::in_parallel(jobs.size(), [&](size_t i) {
    bool cached = false;
    jobs[i]->second.object = compute::load_or_compile(
        cache, jobs[i]->first, [&] { return compiler.compile(jobs[i]->second.source); }, cached);
  });
  std::map<compute::CacheKey, compute::LoadedLibrary> libraries;
  for (const auto& [key, unit] : units)
    libraries.emplace(key, compute::LoadedLibrary::from_bytes(unit.object, unit.source.name));
  std::vector<compute::cpu::Trampoline> kernels;
  for (size_t i = 0; i < cases.size(); ++i)
    kernels.push_back(reinterpret_cast<compute::cpu::Trampoline>(
        libraries.at(keys[i]).function(compute::trampoline_name(cases[i]->kernel->entry))));
  return kernels;
}

uint64_t shared_bytes(const KernelCase& c, unsigned block_size) {
  if (!c.kernel->shared_bytes) return 0;
  std::vector<int64_t> constants;
  for (const fh_constant& k : c.unit().constants)
    constants.push_back(k.is_real ? std::llround(k.real) : k.integer);
  return c.kernel->shared_bytes(constants.data(), block_size);
}

// Runs one case at one block size; what is wrong with the result.
std::string run(const KernelCase& c, compute::cpu::Trampoline kernel, unsigned block_size) {
  const uint32_t count = c.kernel->param_count;
  std::vector<std::vector<std::byte>> memory(count);
  std::vector<fh_argument> scalars(count);
  std::vector<void*> pointers(count), arguments(count);
  for (uint32_t i = 0; i < count; ++i) {
    const fh_kernel_param& p = c.kernel->params[i];
    if (p.role == FH_SCALAR) {
      scalars[i] = scalar(c.arguments.at(i)[0], p.dtype);
      arguments[i] = &scalars[i].scalar;
    } else {
      memory[i] = to_memory(c.arguments.at(i), p, false);
      pointers[i] = memory[i].data();
      arguments[i] = &pointers[i];
    }
  }
  const std::string what = c.label() + ", block size " + std::to_string(block_size);
  const unsigned blocks =
      c.grid.kind == FH_GRID_BLOCKS ? static_cast<unsigned>(c.grid.count) : element_blocks;
  race_launch({what, kernel, arguments.data(), blocks, block_size, shared_bytes(c, block_size), block_size});
  Arguments results = c.arguments;
  for (uint32_t i = 0; i < count; ++i)
    if (c.kernel->params[i].role != FH_SCALAR)
      results.at(i) =
          from_memory(memory[i], c.kernel->params[i], false, what + ", " + c.kernel->params[i].name);
  const std::string wrong = difference(c, results);
  return wrong.empty() ? "" : "block size " + std::to_string(block_size) + ": " + wrong;
}

int run_all(const std::string& wanted, const std::vector<unsigned>& block_sizes) {
  const auto cases = wanted_cases(wanted);
  const auto kernels = compiled(cases);
  bool failed = false;
  for (size_t i = 0; i < cases.size(); ++i)
    for (const unsigned block_size : block_sizes) {
      const int before = reports;
      const std::string wrong = run(*cases[i], kernels[i], block_size);
      std::fputs(wrong.c_str(), stdout);
      if (reports > before)
        std::printf("%s, block size %u: ThreadSanitizer made %d reports\n", cases[i]->label().c_str(),
                    block_size, reports - before);
      failed = failed || !wrong.empty() || reports > before;
    }
  std::printf("%zu cases at %zu block sizes: %s\n", cases.size(), block_sizes.size(),
              failed ? "FAILED" : "passed");
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace foxhunt::kernels::test

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw foxhunt::Error("usage: race_runner FOLDER/|KERNEL|CASE [BLOCK_SIZE…]");
    std::vector<unsigned> block_sizes;
    for (int i = 2; i < argc; ++i) {
      const int size = std::atoi(argv[i]);
      if (size < 1 || size > 1024)
        throw foxhunt::Error("race_runner: a block size from 1 to 1024 is expected, not '" +
                             std::string(argv[i]) + "'");
      block_sizes.push_back(static_cast<unsigned>(size));
    }
    if (block_sizes.empty()) block_sizes = {1, 2, 7, 32, 33, 256};
    return foxhunt::kernels::test::run_all(argv[1], block_sizes);
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    std::fflush(stdout);
    std::_Exit(1);  // fibers of a launch that failed are in the middle of something
  }
}
