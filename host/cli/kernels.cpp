// compile, cache
#include <foxhunt/error.hpp>
#include <set>

#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../compute/cache.hpp"
#include "../compute/warning.hpp"
#include "../trainer/blueprint.hpp"
#include "commands.hpp"
#include "inputs.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace {

// What one instance of every plugin found needs, with its options at their defaults. A plugin that cannot be used
// is no reason to leave the others uncompiled: `failures` gets why.
class InstalledPlugins {
 public:
  InstalledPlugins(plugins::Registry& registry, const trainer::Plan& plan, std::vector<std::string>& failures) {
    const plugins::Dimensions head{plan.encoder.hidden, environment::kActions, plan.q_gamma},
        shaper{0, 0, plan.gamma}, sizer{0, environment::kActions, plan.q_gamma};
    for (const plugins::Candidate& c : registry.candidates()) {
      const std::string& name = c.description.name;
      try {
        const plugins::Plugin& p = registry.open(c.description.kind, name);
        const plugins::OptionValues options = plugins::default_values(p);
        switch (c.description.kind) {
          case FH_Q_HEAD:
            add(std::make_unique<plugins::QHeadInstance>(p, name, head, options));
            break;
          case FH_REWARD_SHAPER:
            add(std::make_unique<plugins::RewardShaperInstance>(p, name, shaper, options));
            break;
          case FH_POSITION_SIZER:
            add(std::make_unique<plugins::PositionSizerInstance>(p, name, sizer, options));
            break;
        }
      } catch (const Error& e) {
        failures.push_back(e.what());
      }
    }
  }
  const std::vector<compute::KernelUnit>& units() const { return units_; }

 private:
  template <class Instance>
  void add(std::unique_ptr<Instance> instance) {
    for (compute::KernelUnit& unit : instance->units()) units_.push_back(std::move(unit));
    instances_.push_back(std::move(instance));
  }
  std::vector<std::shared_ptr<const void>> instances_;  // the units' constants are theirs
  std::vector<compute::KernelUnit> units_;
};

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

  std::vector<std::string> failures;
  std::optional<InstalledPlugins> installed;
  if (a.words().empty()) {
    installed.emplace(registry, blueprint.plan, failures);
    units.insert(units.end(), installed->units().begin(), installed->units().end());
  }

  std::vector<std::string> targets = a.values("arch");
  if (targets.empty()) targets.push_back(target_of(blueprint.plan.compute));
  std::set<std::string> done;
  for (const std::string& target : targets) {
    if (!done.insert(target).second) continue;
    const compute::AheadReport r = compute::compile_ahead(target, units, blueprint.plan.compute.profile);
    print(text(r.target, ": compiled ", r.compiled, ", cached ", r.cached, "\n"));
  }
  if (const auto r = compute::cache_report(); !r.problem.empty())
    throw Error(text("nothing was kept, because there is no cache: ", r.problem));
  if (!failures.empty()) throw Error(text("not all plugins could be compiled: ", join(failures, "; ")));
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
          .details = "Compiles what training and evaluation with this configuration need; without a CONFIG also every plugin\n"
                     "found, with its options at their defaults. Prints one line a target: `TARGET: compiled N, cached M`.\n",
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
