// compile, cache
#include <foxhunt/error.hpp>
#include <set>

#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../compute/cache.hpp"
#include "../compute/warning.hpp"
#include "../trainer/blueprint.hpp"
#include "all_kernels.hpp"
#include "commands.hpp"
#include "inputs.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace {

// Of the device that a run with this configuration would take.
std::string target_of(const compute::Options& options) {
  const auto device = compute::open(options);
  return device->device().kind == "cpu" ? "cpu" : device->device().target;
}

int compile(const Arguments& a) {
  plugins::Registry registry = find_plugins(a);
  const config::Config config = load_config({}, a.words(), a.settings(), registry);
  const trainer::Blueprint blueprint(config, registry);
  std::vector<compute::KernelUnit> units;
  for (const compute::Program* program : blueprint.programs())
    units.insert(units.end(), program->units.begin(), program->units.end());

  std::optional<AllKernels> all;
  if (a.words().empty()) {
    all.emplace(registry, blueprint.plan, units);
    units.insert(units.end(), all->units().begin(), all->units().end());
  }

  std::vector<std::string> targets = a.values("arch");
  if (targets.empty()) targets.push_back(target_of(blueprint.plan.compute));
  std::set<std::string> done;
  for (const std::string& target : targets) {
    if (!done.insert(target).second) continue;
    const compute::AheadReport r = compute::compile_ahead(target, units, blueprint.plan.compute.profile);
    print(text(r.target, ": compiled ", r.compiled, ", cached ", r.cached, " (", r.kernels, " kernels)\n"));
  }
  if (const auto r = compute::cache_report(); !r.problem.empty())
    throw Error(text("nothing was kept, because there is no cache: ", r.problem));
  if (all && !all->failures().empty())
    throw Error(text("not all plugins could be compiled: ", join(all->failures(), "; ")));
  return 0;
}

int cache(const Arguments& a) {
  const std::string what = a.words().empty() ? "show" : a.words().front();
  if (what != "show" && what != "clear")
    throw Error(text("`foxhunt cache ", shown(what), "` is unknown; expected `foxhunt cache` or `foxhunt cache clear`"));
  compute::set_warning_sink([](const std::string&) {});  // that there is no cache is an error here
  const compute::Cache::Report r = compute::cache_report();
  if (!r.problem.empty()) throw Error(text("there is no cache of compiled kernels: ", r.problem));
  if (what == "clear") {
    const std::size_t removed = compute::cache_clear();
    print(text("removed ", removed, removed == 1 ? " entry" : " entries", " from ", r.folder, "\n"));
    if (removed < r.entries)
      throw Error(text(r.entries - removed, " entries of ", r.folder, " could not be removed; are they yours to write?"));
    return 0;
  }
  print(columns({{"folder", r.folder},
                 {"entries", text(r.entries)},
                 {"bytes", text(r.bytes)},
                 {"limit", text(r.max_bytes, " bytes (FOXHUNT_CACHE_MAX_MB); the least recently used entries go first")}}));
  return 0;
}

}  // namespace

Command compile_command() {
  return {.name = "compile",
          .summary = "fills the kernel cache ahead of time, also for GPUs that are not here",
          .usage = "[CONFIG.ini…] [options] [--section.key value]…",
          .details = "With a CONFIG: compiles what training and evaluation with it need, and nothing else. Without one: what the\n"
                     "default configuration needs, and every other kernel of the program and of all plugins found, with sizes and\n"
                     "options at their defaults. Prints one line a target: `TARGET: compiled N, cached M (K kernels)`, where N and\n"
                     "M count kernel files, one for each set of constants. A kernel that does not compile is named with the\n"
                     "compiler's message.\n",
          .options = {{"arch", "TARGET", "cpu, or a GPU architecture such as sm_90; default: the device's own", true},
                      plugin_dir_option()},
          .words = "config files",
          .most_words = kAnyNumber,
          .takes_settings = true,
          .run = compile};
}

Command cache_command() {
  return {.name = "cache",
          .summary = "shows or clears the cache of compiled kernels",
          .usage = "[clear]",
          .details = "The folder is FOXHUNT_CACHE_DIR, else XDG_CACHE_HOME/foxhunt, else ~/.cache/foxhunt.\n",
          .words = "`clear` at most",
          .most_words = 1,
          .run = cache};
}

}  // namespace foxhunt::cli
