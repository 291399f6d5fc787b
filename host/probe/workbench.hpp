#pragma once
#include <functional>
#include <memory>

#include "../compute/compute.hpp"
#include "contents.hpp"

namespace foxhunt::probe {

/// Values for random numbers that a plugin asks for: puts them into `values`, which has shape and type, or says no.
using GivenNoise = std::function<bool(const std::string& path, Values& values)>;

/// A device, and on it what one plugin reads and writes, by the paths that the tensors have in files. First all is
/// declared and recorded, then `start`, then programs run and values go in and out.
class Workbench {
 public:
  /// `given` is asked for random numbers while recording; without it all are drawn from the seed.
  /// @throws foxhunt::Error if the device cannot be had, or if it is none that computes in the profile.
  Workbench(const compute::Options& options, uint64_t seed, GivenNoise given = {});

  compute::TensorId input(const std::string& path, const Values& values);
  compute::TensorId output(const std::string& path, fh_dtype dtype, const fh_shape& shape,
                           std::vector<std::string> axes = {});
  /// In and out: an output of that path which starts with these values.
  compute::TensorId state(const std::string& path, const Values& values);
  compute::TensorId find_input(const std::string& path) const;  ///< 0 if it was not given
  /// u64 scalar 0: the iteration.
  compute::TensorId step() const { return step_; }

  /// A recording of the instance `name`; its random numbers are given, or drawn and kept as outputs.
  std::unique_ptr<compute::Recording> record(compute::Program& program, const compute::KernelLibrary& kernels,
                                             const std::string& name, const std::string& step);

  /// Allocates, and uploads inputs and states.
  void start();
  /// Every state has its first values again.
  void reset();
  std::unique_ptr<compute::Executable> prepare(const compute::Program& program) { return compute_->prepare(program); }
  /// Prepares and runs it to its end.
  void run(const compute::Program& program);
  void put(const std::string& input, const std::vector<double>& values) { upload(in_.at(input), values); }
  std::vector<double> get(const std::string& output) { return download(out_.at(output)).data; }
  Contents outputs();

  const compute::DeviceInfo& device() const { return compute_->device(); }

 private:
  compute::TensorId add(const std::string& name, fh_dtype dtype, const fh_shape& shape, const std::vector<std::string>& axes);
  compute::Recording::Noise noise(const std::string& name, const fh_shape& shape);
  fh_dtype held(compute::TensorId id) const;
  void upload(compute::TensorId id, const std::vector<double>& values);
  Values download(compute::TensorId id);

  bool real64_;
  uint64_t seed_;
  GivenNoise given_;
  std::unique_ptr<compute::Compute> compute_;
  compute::Tensors tensors_;
  std::map<std::string, compute::TensorId> in_, out_;
  std::map<compute::TensorId, std::vector<double>> initial_inputs_, initial_states_;
  compute::TensorId step_ = 0;
};

}  // namespace foxhunt::probe
