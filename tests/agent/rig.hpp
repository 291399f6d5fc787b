#pragma once
#include <foxhunt/error.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compute/compute.hpp"
#include "kernels/manifest.hpp"

namespace foxhunt::agent::test {

/// Tensors, one program and a CPU to run it on. Values go in and out as doubles, whatever the device holds.
class Rig {
 public:
  explicit Rig(compute::Profile profile = compute::Profile::fast, int threads = 1);

  compute::Tensors tensors;
  compute::TensorId add(const std::string& name, fh_shape s, fh_dtype dtype = FH_F32);
  /// Records the program and gives all tensors their memory; once.
  void record(const std::function<void(compute::Recording&)>& body, uint64_t seed = 1);
  void run() { executable_->submit(); }

  void set(compute::TensorId id, const std::vector<double>& values);
  std::vector<double> get(compute::TensorId id) const;
  void set(const char* name, const std::vector<double>& values) { set(tensors.find(name), values); }
  std::vector<double> get(const char* name) const { return get(tensors.find(name)); }
  compute::Compute& compute() { return *compute_; }

 private:
  template <class T>
  void put(compute::TensorId id, const std::vector<double>& values);
  template <class T>
  std::vector<double> take(compute::TensorId id) const;

  bool real64_;
  std::unique_ptr<compute::Compute> compute_;
  compute::Program program_;
  std::unique_ptr<compute::Executable> executable_;
};

/// Normal numbers that a float holds exactly.
std::vector<double> normal(size_t n, uint64_t seed, double deviation = 1);

/// The text of the foxhunt::Error that the call throws; empty if it throws none.
template <class F>
std::string error_of(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace foxhunt::agent::test
