#include <map>
#include <set>

#include "compute.hpp"
#include "cpu/kernels.hpp"
#include "cuda/kernels.hpp"
#include "cuda_module.hpp"
#include "parallel.hpp"

namespace foxhunt::compute {
namespace {

size_t count_kernels(const std::vector<KernelUnit>& units) {
  // Plugins may declare the same kernel of the same file each.
  std::set<std::pair<std::string, std::string>> kernels;
  for (const KernelUnit& unit : units)
    for (const fh_kernel* k : unit.library->kernels)
      if (k->file == unit.file) kernels.emplace(k->file, k->entry);
  return kernels.size();
}

}  // namespace

AheadReport compile_ahead(const std::string& target, std::vector<KernelUnit> units, Profile profile) {
  if (target != "cpu") units.push_back({&cuda::own_library(), cuda::gemm_direct.file, {}});
  AheadReport report{target, 0, 0, count_kernels(units)};
  if (target == "cpu") {
    cpu::Kernels kernels(profile == Profile::real64);
    kernels.compile_only(units);
    report.compiled = kernels.report().compiled;
    report.cached = kernels.report().cached;
    return report;
  }
  if (!target.starts_with("sm_"))
    throw Error("target '" + target +
                "' is unknown: cpu or a GPU architecture such as sm_80, sm_89, sm_90 is expected.");
  if (profile == Profile::real64)
    throw Error("the real64 profile is compiled for the cpu only, not for '" + target + "'.");

  const CudaModule module = CudaModule::load();
  const Cache cache = Cache::from_environment();
  const bool parity = profile == Profile::parity;
  const std::string compiler = module.compiler_version();
  // A unit that several programs use is compiled and counted once.
  std::map<CacheKey, UnitSource> sources;
  for (const KernelUnit& unit : units) {
    UnitSource source = unit_source(unit, KernelMode::cuda);
    sources.try_emplace(cubin_key(source, target, parity, compiler), std::move(source));
  }
  const std::vector<std::pair<CacheKey, UnitSource>> jobs(sources.begin(), sources.end());
  std::vector<char> cached(jobs.size());
  in_parallel(jobs.size(), [&](size_t i) {
    bool found = false;
    load_or_compile(
        cache, jobs[i].first, [&] { return module.compile(jobs[i].second, target, parity); }, found);
    cached[i] = found;
  });
  for (const char found : cached) ++(found ? report.cached : report.compiled);
  return report;
}

}  // namespace foxhunt::compute
