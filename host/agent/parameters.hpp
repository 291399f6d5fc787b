#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../compute/compute.hpp"

namespace foxhunt::agent {

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;  ///< outside the square root
  double clip = 0;        ///< limit on the norm of the group's whole gradient; 0: none
};

/// A set of trainable tensors that is clipped and stepped as one: encoder, policy and value together, or one
/// head. Each kind (online, target, gradient, both moments) is one piece of storage whose windows are the tensors,
/// so an optimiser step is one launch whatever the number of tensors.
class ParameterGroup {
 public:
  /// `optimizer`: where the checkpoint keeps Adam's step count, "/optimizer/policy", or "/heads/c51/adam", since
  /// all that a head has lives with that head. `target`: keeps target weights as well.
  ParameterGroup(std::string name, std::string optimizer, bool target)
      : name_(std::move(name)), optimizer_(std::move(optimizer)), has_target_(target) {}

  /// A tensor "<path>/online/<declared.name>", with Adam moments "<path>/adam/{m,v}/…" and, if the group keeps
  /// them, target weights "<path>/target/…". Returns its index.
  size_t add(const std::string& path, const fh_declared& declared) { return add(path, declared, has_target_); }
  /// `target`: this tensor keeps target weights, whatever the others do.
  size_t add(const std::string& path, const fh_declared& declared, bool target);
  void declare(compute::Tensors& tensors);
  /// Uploads what is no state: where the tensors lie in their storage.
  void upload_constants(compute::Compute& compute) const;
  /// Uploads initial values: the same for a tensor whatever else the program holds (stream = its path and name).
  /// Targets start as the online weights.
  void initialise(compute::Compute& compute, const compute::Tensors& tensors, uint64_t seed) const;

  size_t size() const { return entries_.size(); }
  const std::string& name() const { return name_; }
  const std::string& path(size_t i) const { return entries_[i].full_name; }  ///< "/policy/online/w"
  const std::string& tensor(size_t i) const { return entries_[i].name; }     ///< "w"
  compute::TensorId online(size_t i) const { return entries_[i].online; }
  compute::TensorId target(size_t i) const { return entries_[i].target; }
  compute::TensorId gradient(size_t i) const { return entries_[i].gradient; }

  /// Squared norms of all gradients, then one Adam step. `learning_rate`: f32 [1]. The step is skipped while
  /// the ring holds fewer than `start` transitions (see optimizer/adam.cu).
  void record_step(compute::Recording& recording, const AdamSettings& settings, fh_tensor learning_rate,
                   compute::TensorId ring, int64_t start) const;
  /// One Adam step of two groups that are clipped as one.
  static void record_joint_step(compute::Recording& recording, const ParameterGroup& a, const ParameterGroup& b,
                                const AdamSettings& settings, fh_tensor learning_rate, compute::TensorId ring, int64_t start);
  /// target <- target + tau (online - target), skipped together with the step before it; after every `every`-th step.
  void record_soft_update(compute::Recording& recording, double tau, int64_t every = 1) const;
  /// Squared norms of the online weights.
  void record_weight_squares(compute::Recording& recording) const;
  /// Keeps the online weights as they are now, and later says how far each tensor has moved since:
  /// |after - before| / max(|before|, |after|).
  void record_remember(compute::Recording& recording) const;
  void record_update_ratios(compute::Recording& recording) const;

  /// f64 [size()] each, in the order of `path`.
  compute::TensorId gradient_squares() const { return gradient_squares_; }
  compute::TensorId weight_squares() const { return weight_squares_; }
  compute::TensorId update_ratios() const { return update_ratios_; }

 private:
  void record_squares(compute::Recording& recording) const;
  void record_adam(compute::Recording& recording, const AdamSettings& settings, fh_tensor learning_rate,
                   compute::TensorId ring, int64_t start, const ParameterGroup* clipped_with) const;

  struct Entry {
    std::string path, full_name;
    std::string name;
    std::vector<std::string> axes;
    fh_declared declared{};
    bool has_target = false;
    int64_t offset = 0, length = 0;
    compute::TensorId online = 0, target = 0, gradient = 0, m = 0, v = 0;
  };
  std::string name_, optimizer_;
  bool has_target_;  // by default
  std::vector<Entry> entries_;
  int64_t storage_ = 0;
  compute::TensorId online_ = 0, target_ = 0, gradient_ = 0, m_ = 0, v_ = 0, segments_ = 0;
  compute::TensorId t_ = 0, beta_power_ = 0, scalars_ = 0, gradient_squares_ = 0, weight_squares_ = 0, before_ = 0,
                    update_ratios_ = 0;
};

/// Initialisers beside those of fh_init, for the program's own parameters (Dao & Gu 2024, in the authors' code).
enum HostInit : uint32_t {
  kInitDecayRate = 0x100,  ///< log of U(1, 16)
  kInitTimeStep            ///< softplus^-1 of a step that is log-uniform in [1e-3, 0.1]
};

/// Initial values of a tensor by fh_init or HostInit, from the Philox stream `stream`.
std::vector<float> initial_values(const fh_declared& declared, uint64_t seed, const std::string& stream);

}  // namespace foxhunt::agent
