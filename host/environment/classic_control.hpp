#pragma once
#include <memory>
#include <string>

#include "environment.hpp"

namespace foxhunt::environment {

/// CartPole-v1 and Acrobot-v1 of Gymnasium: the same dynamics, limits, beginnings, rewards and 500 steps at most, in
/// single precision. Head implementations are compared with published scores on them.
class ClassicControl final : public Environment {
 public:
  enum class Task { cartpole, acrobot };
  static constexpr int64_t kEpisodeSteps = 500;

  /// An episode that lasts `episode_steps` is truncated. @throws foxhunt::Error if either number is not positive
  ClassicControl(Task task, int64_t accounts, int64_t episode_steps = kEpisodeSteps);

  int64_t accounts() const override { return accounts_; }
  /// cartpole: position, its speed, angle [rad], its speed. acrobot: cosine and sine of both angles, both speeds.
  int64_t features() const override { return task_ == Task::cartpole ? 4 : 6; }
  std::vector<std::string> feature_names() const override {
    if (task_ == Task::cartpole) return {"position", "speed", "angle", "angular_speed"};
    return {"cos_1", "sin_1", "cos_2", "sin_2", "speed_1", "speed_2"};
  }
  /// cartpole: push left, right. acrobot: torque -1, 0, 1.
  int64_t actions() const override { return task_ == Task::cartpole ? 2 : 3; }
  std::vector<std::string> action_names() const override {
    if (task_ == Task::cartpole) return {"left", "right"};
    return {"torque_minus", "torque_none", "torque_plus"};
  }

  void declare(compute::Tensors& tensors, const std::string& prefix, compute::Lifetime lifetime) override;
  void initialise(compute::Compute& compute, uint64_t seed) const override;
  void record_observe(compute::Recording& recording, fh_tensor x) const override;
  void record_step(compute::Recording& recording, fh_tensor action, fh_tensor sized, compute::TensorId step,
                   const StepOutputs& outputs, uint32_t salt) const override;
  /// Episodes.
  int64_t totals() const override { return 1; }
  void record_totals(compute::Recording& recording, fh_tensor out) const override;

  /// State f32 [accounts, 4]; steps taken i32, how the episode ended u8, its rewards so far f64, episodes ended since
  /// the run's start i64, [accounts] each.
  compute::TensorId state = 0, steps = 0, ended = 0, score = 0, episodes = 0;

 private:
  Task task_;
  int64_t accounts_, episode_steps_;
};

/// The task with this name of env.source: "cartpole", "acrobot"; null for any other.
std::unique_ptr<ClassicControl> make_classic_control(const std::string& name, int64_t accounts);

}  // namespace foxhunt::environment
