#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../agent/parameters.hpp"
#include "../agent/replay.hpp"
#include "../plugins/instances.hpp"
#include "plan.hpp"
#include "record.hpp"

namespace foxhunt::trainer {

/// Initial values of a plugin's controllers, whatever their type.
void initialise_controllers(compute::Compute& compute, const compute::Tensors& tensors,
                            const std::vector<compute::TensorId>& ids, std::span<const fh_declared> declared);

/// What a head is used for.
struct Roles {
  double ensemble_weight = 0;
  bool value_baseline = false, risk_source = false;
  /// Feeds nobody: trains on its own loss and touches nothing else.
  bool diagnostic() const { return ensemble_weight == 0 && !value_baseline && !risk_source; }
};

/// The recordings of one head: both in its name and its scratch, one with the plugin's kernels, one with ours.
struct HeadRecordings {
  compute::Recording plugin, program;
};

/// One Q head of a run: the plugin's instance and all that the program keeps for it.
class Head {
 public:
  Head(std::string name, plugins::QHeadInstance instance, Roles roles);

  /// Names of what a head can offer to the program.
  bool offers(std::string_view output) const { return output_index(output) >= 0; }
  fh_shape output_shape(std::string_view output, int64_t rows) const;

  void declare(compute::Tensors& tensors, const Plan& plan);
  void initialise(compute::Compute& compute, const compute::Tensors& tensors, uint64_t seed) const;

  /// A named output: handle of a tensor of `output_shape(name, rows)` to be written.
  struct Wanted {
    std::string_view name;
    fh_tensor to;
  };
  /// Records `infer` with the online weights on h [rows, H]; `value` [rows] where the head reads V, else 0. `recording` is
  /// this head's own.
  void record_infer(compute::Recording& recording, fh_tensor h, fh_tensor value, compute::TensorId step, uint32_t salt,
                    const std::vector<Wanted>& wanted) const;
  /// What a replay update gives back, f32 handles of `main`, or 0: gradients for what made h [batch, H], and of V [batch].
  struct Gradients {
    fh_tensor h = 0, value = 0;
  };
  /// One replay update: learn, Adam, soft update. `batch` and `values` (V of its state and next state, or 0) hold handles of
  /// `main`; `update` counts within the iteration.
  void record_learn(HeadRecordings& own, compute::Recording& main, const agent::Batch& batch,
                    const std::pair<fh_tensor, fh_tensor>& values, compute::TensorId step, const Plan& plan,
                    compute::TensorId ring, compute::TensorId learning_rate, uint32_t update, const Gradients& to) const;

  const std::string& name() const { return name_; }
  const std::string& prefix() const { return prefix_; }  ///< "heads/<name>"
  const Roles& roles() const { return roles_; }
  const plugins::QHeadInstance& instance() const { return instance_; }
  const agent::ParameterGroup& parameters() const { return group_; }
  /// f32 [updates, batch]: loss per sample of each update of the iteration.
  compute::TensorId losses() const { return losses_; }

  Record record;
  /// Offsets in `record`; -1: not recorded.
  int64_t loss_sums = -1, agreement_sums = -1, edge_sums = -1, magnitude_sums = -1, value_sums = -1, gradient_squares = -1,
          weight_squares = -1, update_ratios = -1;

 private:
  int output_index(std::string_view output) const;

  std::string name_, prefix_;
  plugins::QHeadInstance instance_;
  Roles roles_;
  agent::ParameterGroup group_;
  std::vector<compute::TensorId> controllers_;
  compute::TensorId losses_ = 0;
};

}  // namespace foxhunt::trainer
