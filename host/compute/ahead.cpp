#include "compute.hpp"
#include "cpu/kernels.hpp"
#include "cuda_module.hpp"
#include "parallel.hpp"

namespace foxhunt::compute {

AheadReport compile_ahead(const std::string& target, const std::vector<KernelUnit>& units, Profile profile) {
  AheadReport report{target, 0, 0};
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
  std::vector<char> cached(units.size());
  in_parallel(units.size(), [&](size_t i) {
    const UnitSource source = unit_source(units[i], KernelMode::cuda);
    bool found = false;
    load_or_compile(
        cache, cubin_key(source, target, parity, compiler),
        [&] { return module.compile(source, target, parity); }, found);
    cached[i] = found;
  });
  for (const char found : cached) ++(found ? report.cached : report.compiled);
  return report;
}

}  // namespace foxhunt::compute
