#include <foxhunt/descriptor.hpp>
#include <foxhunt/error.hpp>
#include <set>

#include "../common/text.hpp"
#include "../compute/tensors.hpp"
#include "instances.hpp"

namespace foxhunt::plugins {
namespace {

constexpr uint32_t kMost = 4096;

}  // namespace

Instance::Instance(const Plugin& plugin, fh_kind kind, std::string name, const Dimensions& dimensions,
                   OptionValues values)
    : plugin_(&plugin), name_(std::move(name)), dimensions_(dimensions), options_(std::move(values)) {
  if (plugin.kind() != kind)
    refuse(text("a ", name_of(kind), " is needed, but it is a ", name_of(plugin.kind())));
  if (options_.size() != plugin.options().size())
    refuse(text(options_.size(), " option values are given, it has ", plugin.options().size(), " options"));
}

void Instance::refuse(const std::string& why) const {
  throw Error(text(name_of(plugin_->kind()), " '", name_, "' (", plugin_->label(), "): ", why));
}

void Instance::failed(const char* message) const {
  refuse(*message ? message : "it failed without a message");
}

void Instance::make(Create create, Destroy destroy) {
  fh_create c{};
  c.size = sizeof c;
  c.hidden = static_cast<uint32_t>(dimensions_.hidden);
  c.actions = static_cast<uint32_t>(dimensions_.actions);
  c.gamma = dimensions_.gamma;
  c.options = options_.data();
  c.option_count = static_cast<uint32_t>(options_.size());
  void* made = nullptr;
  call(create, &c, &made);
  if (!made) refuse("it made nothing and reported no error");
  self_ = std::unique_ptr<void, Destroy>(made, destroy);
}

void Instance::take_constants(fh_list list) {
  if (list.count > kMost || (list.count != 0 && !list.items)) refuse("its list of constants is damaged");
  constants_ = {static_cast<const fh_constant*>(list.items), list.count};
  std::set<std::string_view> names;
  for (const fh_constant& c : constants_)
    if (!c.name || !names.insert(c.name).second) refuse("its list of constants has a name twice, or none");
}

std::span<const fh_declared> Instance::take_declared(fh_list list, const char* what, bool trainable) const {
  if (list.count > kMost || (list.count != 0 && !list.items))
    refuse(text("its list of ", what, "s is damaged"));
  const std::span<const fh_declared> all(static_cast<const fh_declared*>(list.items), list.count);
  std::set<std::string_view> names;
  for (const fh_declared& d : all) {
    if (!d.name || !is_plugin_name(d.name))
      refuse(
          text("a ", what, " is called '", d.name ? shown(d.name) : "null", "', expected [a-z][a-z0-9_]*"));
    const std::string which = text(what, " '", d.name, "'");
    if (!names.insert(d.name).second) refuse(text(which, " is declared twice"));
    try {
      compute::check_shape(d.shape, which);
    } catch (const Error& e) {
      refuse(e.what());
    }
    if (compute::elements_of(d.shape) == 0)
      refuse(text(which, " has no elements: ", compute::to_string(d.shape)));
    if (d.dtype > FH_U64 || (trainable && d.dtype != FH_F32))
      refuse(text(which, " has type number ", d.dtype, trainable ? ", expected f32" : ""));
    if (d.init > FH_INIT_UNIFORM) refuse(text(which, " has the unknown initialiser ", d.init));
    if (!(d.value - d.value == 0)) refuse(text("the initial value of ", which, " is ", d.value));
  }
  return all;
}

std::vector<compute::KernelUnit> Instance::units() const {
  std::vector<compute::KernelUnit> result;
  std::set<std::string_view> files;
  for (const fh_kernel* k : kernels().kernels) {
    if (!files.insert(k->file).second) continue;
    compute::KernelUnit unit{&kernels(), k->file, {}};
    for (uint32_t i = 0; i < k->constant_count; ++i) {
      const fh_constant* found = nullptr;
      for (const fh_constant& c : constants_)
        if (std::string_view(c.name) == k->constants[i]) found = &c;
      if (!found)
        refuse(
            text("kernel '", k->entry, "' needs constant '", k->constants[i], "', which it does not list"));
      unit.constants.push_back(*found);
      unit.constants.back().name = k->constants[i];
    }
    result.push_back(std::move(unit));
  }
  return result;
}

}  // namespace foxhunt::plugins
