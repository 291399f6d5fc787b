#include "instances.hpp"

#include <cstddef>
#include <foxhunt/descriptor.hpp>
#include <foxhunt/error.hpp>
#include <set>

#include "../common/text.hpp"
#include "../compute/tensors.hpp"

namespace foxhunt::plugins {
namespace {

constexpr int64_t kBatch = -1;

bool same(const fh_shape& a, const fh_shape& b) {
  if (a.rank != b.rank) return false;
  for (uint32_t i = 0; i < a.rank; ++i)
    if (a.dim[i] != b.dim[i]) return false;
  return true;
}

/// Handles of the C++ recorder, as the ABI wants them.
struct Boundary {
  explicit Boundary(compute::Recording& recording) : recorder(recording.recorder()) {}
  fh_recorder* handle() const { return recorder.handle(); }
  const fh_recorder_api* api() const { return recorder.api(); }
  Recorder recorder;
};

}  // namespace

QHeadInstance::QHeadInstance(const Plugin& plugin, std::string name, const Dimensions& dimensions,
                             OptionValues values)
    : Instance(plugin, FH_Q_HEAD, std::move(name), dimensions, std::move(values)) {
  const fh_q_head& api = *plugin.table().api.q_head;
  make(api.create, api.destroy);
  take_constants(api.constants(self()));
  parameters_ = take_declared(api.parameters(self()), "parameter", true);
  controllers_ = take_declared(api.controllers(self()), "controller", false);
  const fh_list outputs = api.outputs(self());
  if (outputs.count > 256 || (outputs.count != 0 && !outputs.items)) refuse("its list of outputs is damaged");
  outputs_ = {static_cast<const fh_output*>(outputs.items), outputs.count};
  check_outputs(dimensions);
  target_ = api.target_shape(self());
  if (target_.rank > FH_MAX_RANK || (target_.rank > 0 && target_.dim[0] != kBatch))
    refuse("dimension 0 of its target's shape is not the batch (-1)");
  const bool says = api.size >= offsetof(fh_q_head, reads) + sizeof api.reads && api.reads;
  reads_ = says ? api.reads(self()) : 0;
  if (reads_ & ~FH_READS_VALUE) refuse(text("it reads unknown things (bits ", reads_, ")"));
}

void QHeadInstance::check_outputs(const Dimensions& dimensions) const {
  const int64_t n = dimensions.actions;
  std::set<std::string_view> names;
  for (const fh_output& o : outputs_) {
    if (!o.name || !is_plugin_name(o.name))
      refuse(text("an output is called '", o.name ? shown(o.name) : "null", "', expected [a-z][a-z0-9_]*"));
    if (!names.insert(o.name).second) refuse(text("output '", o.name, "' is declared twice"));
    if (o.shape.rank > FH_MAX_RANK)
      refuse(text("output '", o.name, "' has rank ", o.shape.rank, "; at most 4"));
    for (uint32_t i = 0; i < o.shape.rank; ++i)
      if (o.shape.dim[i] < 1 && !(i == 0 && o.shape.dim[i] == kBatch))
        refuse(text("output '", o.name, "' has shape ", compute::to_string(o.shape)));
    // Names with a meaning to the program have one shape; 0 below: any length.
    const struct {
      std::string_view name;
      fh_shape shape;
    } known[] = {{"expected_q", shape(kBatch, n)},
                 {"variance_q", shape(kBatch, n)},
                 {"advantage", shape(kBatch, n)},
                 {"state_value", shape(kBatch)},
                 {"log_probs", shape(kBatch, n, 0)},
                 {"quantiles", shape(kBatch, 0, n)},
                 {"support", shape(0)}};
    for (const auto& k : known) {
      if (k.name != o.name) continue;
      fh_shape expected = k.shape;
      for (uint32_t i = 0; i < expected.rank && i < o.shape.rank; ++i)
        if (expected.dim[i] == 0 && o.shape.dim[i] > 0) expected.dim[i] = o.shape.dim[i];
      if (!same(expected, o.shape))
        refuse(text("output '", o.name, "' is declared as ", compute::to_string(o.shape), ", expected ",
                    compute::to_string(expected), " (-1: the batch)"));
    }
  }
  const int atoms = output("log_probs"), support = output("support");
  if (atoms >= 0 && support >= 0 &&
      outputs_[static_cast<size_t>(atoms)].shape.dim[2] !=
          outputs_[static_cast<size_t>(support)].shape.dim[0])
    refuse("its outputs log_probs and support have different numbers of atoms");
}

int QHeadInstance::output(std::string_view name) const {
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (name == outputs_[i].name) return static_cast<int>(i);
  return -1;
}

void QHeadInstance::infer(compute::Recording& recording, fh_infer io) const {
  io.size = sizeof io;
  const Boundary b(recording);
  call(plugin().table().api.q_head->infer, self(), b.handle(), b.api(), &io);
}

void QHeadInstance::learn(compute::Recording& recording, fh_learn io) const {
  io.size = sizeof io;
  const Boundary b(recording);
  call(plugin().table().api.q_head->learn, self(), b.handle(), b.api(), &io);
}

RewardShaperInstance::RewardShaperInstance(const Plugin& plugin, std::string name,
                                           const Dimensions& dimensions, OptionValues values)
    : Instance(plugin, FH_REWARD_SHAPER, std::move(name), dimensions, std::move(values)) {
  const fh_reward_shaper& api = *plugin.table().api.reward_shaper;
  make(api.create, api.destroy);
  take_constants(api.constants(self()));
  controllers_ = take_declared(api.controllers(self()), "controller", false);
}

void RewardShaperInstance::shape(compute::Recording& recording, fh_shape_reward io) const {
  io.size = sizeof io;
  const Boundary b(recording);
  call(plugin().table().api.reward_shaper->shape, self(), b.handle(), b.api(), &io);
}

PositionSizerInstance::PositionSizerInstance(const Plugin& plugin, std::string name,
                                             const Dimensions& dimensions, OptionValues values)
    : Instance(plugin, FH_POSITION_SIZER, std::move(name), dimensions, std::move(values)) {
  const fh_position_sizer& api = *plugin.table().api.position_sizer;
  make(api.create, api.destroy);
  take_constants(api.constants(self()));
}

void PositionSizerInstance::apply(compute::Recording& recording, fh_size_position io) const {
  io.size = sizeof io;
  const Boundary b(recording);
  call(plugin().table().api.position_sizer->apply, self(), b.handle(), b.api(), &io);
}

}  // namespace foxhunt::plugins
