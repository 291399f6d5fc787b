#include "all_kernels.hpp"

#include <algorithm>
#include <foxhunt/error.hpp>
#include <map>
#include <set>
#include <string_view>

#include "../agent/mixer.hpp"
#include "../common/text.hpp"
#include "../environment/market_environment.hpp"
#include "../kernels/manifest.hpp"
#include "../plugins/instances.hpp"

namespace foxhunt::cli {

namespace {

// A value for every constant that the program's kernels name.
std::map<std::string_view, int64_t> constants_of(const trainer::Plan& plan) {
  const agent::EncoderSettings& e = plan.encoder;
  const int64_t levels = 10, channels = e.expand * e.hidden;
  return {{"ACTIONS", plan.actions},
          {"MASKED", plan.masked},
          {"LEVELS", levels},
          {"BOOK_FEATURES", environment::book_features(levels)},
          {"FEATURES", e.features},
          {"ACTIVATION", static_cast<int64_t>(e.activation)},
          {"COLUMNS", e.hidden},
          {"WIDTH", e.hidden},
          {"HEADS", std::max<int64_t>(1, channels / e.head_dim)},
          {"HEAD_DIM", std::min(e.head_dim, channels)},
          {"STATE", e.state},
          {"CONV", e.conv},
          {"CHUNK", std::min(plan.horizon, agent::kChunk)}};
}

}  // namespace

AllKernels::AllKernels(plugins::Registry& registry, const trainer::Plan& plan,
                       const std::vector<compute::KernelUnit>& used) {
  add_program(plan, used);
  for (const plugins::Candidate& c : registry.candidates()) try {
      add_plugin(registry.open(c.description.kind, c.description.name), plan);
    } catch (const Error& e) {
      failures_.push_back(e.what());
    }
}

void AllKernels::add_program(const trainer::Plan& plan, const std::vector<compute::KernelUnit>& used) {
  const std::map<std::string_view, int64_t> values = constants_of(plan);
  const compute::KernelLibrary& program = program_kernels();
  std::set<std::string> files;
  for (const compute::KernelUnit& unit : used)
    if (unit.library == &program) files.insert(unit.file);
  for (const fh_kernel* kernel : program.kernels) {
    if (!files.insert(kernel->file).second) continue;
    compute::KernelUnit unit{&program, kernel->file, {}};
    for (uint32_t i = 0; i < kernel->constant_count; ++i) {
      const auto value = values.find(kernel->constants[i]);
      if (value == values.end())
        throw Error(text("kernel '", kernel->entry, "' of ", kernel->file, " wants the constant ", kernel->constants[i],
                         ", which has no default; give it one in host/cli/all_kernels.cpp"));
      unit.constants.push_back(constant(kernel->constants[i], value->second));
    }
    units_.push_back(std::move(unit));
  }
}

void AllKernels::add_plugin(const plugins::Plugin& plugin, const trainer::Plan& plan) {
  const std::string& name = plugin.name();
  const plugins::OptionValues options = plugins::default_values(plugin);
  switch (plugin.kind()) {
    case FH_Q_HEAD:
      return add(std::make_unique<plugins::QHeadInstance>(
          plugin, name, plugins::Dimensions{plan.encoder.hidden, plan.actions, plan.q_gamma}, options));
    case FH_REWARD_SHAPER:
      return add(std::make_unique<plugins::RewardShaperInstance>(plugin, name, plugins::Dimensions{0, 0, plan.gamma}, options));
    case FH_POSITION_SIZER:
      return add(std::make_unique<plugins::PositionSizerInstance>(
          plugin, name, plugins::Dimensions{0, plan.actions, plan.q_gamma}, options));
  }
}

template <class Instance>
void AllKernels::add(std::unique_ptr<Instance> instance) {
  for (compute::KernelUnit& unit : instance->units()) units_.push_back(std::move(unit));
  instances_.push_back(std::move(instance));
}

}  // namespace foxhunt::cli
