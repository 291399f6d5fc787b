#pragma once
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compute/compute.hpp"
#include "plugins/registry.hpp"

namespace foxhunt::plugins {

/// Tensors, programs and a CPU to run them on. Values go in and out as doubles, whatever the device holds.
class Rig {
 public:
  explicit Rig(compute::Profile profile = compute::Profile::fast, int threads = 2)
      : real64_(profile == compute::Profile::real64), compute_(open(profile, threads)) {}

  compute::Tensors tensors;

  compute::TensorId add(const std::string& name, fh_shape s, fh_dtype dtype = FH_F32) {
    compute::TensorSpec spec;
    spec.name = name;
    spec.shape = s;
    spec.dtype = dtype;
    spec.lifetime = compute::Lifetime::resident;
    return tensors.add(std::move(spec));
  }
  void allocate() { compute_->allocate(tensors); }
  std::unique_ptr<compute::Executable> prepare(const compute::Program& program) {
    return compute_->prepare(program);
  }

  void set(compute::TensorId id, const std::vector<double>& values) {
    switch (tensors[id].dtype) {
      case FH_I32:
        return put<int32_t>(id, values);
      case FH_U32:
        return put<uint32_t>(id, values);
      case FH_U64:
        return put<uint64_t>(id, values);
      case FH_F32:
        return real64_ ? put<double>(id, values) : put<float>(id, values);
      default:
        throw Error("the rig sets no tensor of this type");
    }
  }
  std::vector<double> get(compute::TensorId id) const {
    switch (tensors[id].dtype) {
      case FH_U32:
        return take<uint32_t>(id);
      case FH_F32:
        return real64_ ? take<double>(id) : take<float>(id);
      default:
        throw Error("the rig gets no tensor of this type");
    }
  }

 private:
  static std::unique_ptr<compute::Compute> open(compute::Profile profile, int threads) {
    compute::Options options;
    options.device = "cpu";
    options.threads = threads;
    options.profile = profile;
    return compute::open(options);
  }
  template <class T>
  void put(compute::TensorId id, const std::vector<double>& values) {
    const std::vector<T> cast(values.begin(), values.end());
    compute_->upload(id, cast.data(), cast.size() * sizeof(T));
  }
  template <class T>
  std::vector<double> take(compute::TensorId id) const {
    std::vector<T> values(static_cast<size_t>(compute::elements_of(tensors[id].shape)));
    compute_->download(id, values.data(), values.size() * sizeof(T));
    return {values.begin(), values.end()};
  }

  bool real64_;
  std::unique_ptr<compute::Compute> compute_;
};

inline Registry& built_plugins() {
  static Registry registry({{FOXHUNT_BUILT_PLUGINS, true}});
  return registry;
}

inline OptionValues options_for(const Plugin& plugin,
                                const std::vector<std::pair<std::string, std::string>>& settings) {
  OptionValues values = default_values(plugin);
  for (const auto& [name, value] : settings) set_option(values, plugin, name, value);
  return values;
}

inline std::vector<double> normal(size_t n, uint64_t seed, double deviation = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> draw(0, deviation);
  std::vector<double> values(n);
  // Rounded to float: what the device holds in either profile.
  for (double& v : values) v = static_cast<float>(draw(random));
  return values;
}

}  // namespace foxhunt::plugins
