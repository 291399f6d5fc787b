#pragma once
#include <memory>
#include <vector>

#include "compute/compute.hpp"
#include "environment/classic_control.hpp"

namespace foxhunt::environment::test {

/// A control task on the CPU, driven a step at a time.
class ControlRig {
 public:
  ControlRig(ClassicControl::Task task, int64_t accounts, uint64_t seed = 1, int threads = 1,
             int64_t episode_steps = ClassicControl::kEpisodeSteps);

  void step(const std::vector<int32_t>& action);
  void step(int32_t action) { step(std::vector<int32_t>(static_cast<size_t>(task.accounts()), action)); }
  /// Observations [accounts, features].
  std::vector<float> observe();
  std::vector<float> states() const { return get<float>(task.state); }
  void set_states(const std::vector<float>& values) { compute_->upload(task.state, values.data(), values.size() * sizeof(float)); }

  template <class T>
  std::vector<T> get(compute::TensorId id) const {
    std::vector<T> values(static_cast<size_t>(compute::elements_of(tensors_[id].shape)));
    compute_->download(id, values.data(), values.size() * sizeof(T));
    return values;
  }
  const compute::Tensors& tensors() const { return tensors_; }

  ClassicControl task;
  compute::TensorId reward, done, valid, equity;

 private:
  compute::Tensors tensors_;
  compute::TensorId action_, x_, step_;
  std::unique_ptr<compute::Compute> compute_;
  compute::Program observe_program_, step_program_;
  std::unique_ptr<compute::Executable> observe_, step_run_;
};

}  // namespace foxhunt::environment::test
