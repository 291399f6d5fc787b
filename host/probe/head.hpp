#pragma once
#include "../plugins/instances.hpp"
#include "workbench.hpp"

namespace foxhunt::probe {

/// The datasets that a plugin is given; described, without values.
struct Inputs {
  Contents required, optional;
};
Inputs inputs_of(const plugins::QHeadInstance& head, int64_t batch, int64_t hidden, int64_t actions);

/// One Q head on a workbench, with all that it reads and writes.
class HeadRun {
 public:
  /// `inputs`: all required ones, and of the optional ones those to be given. The bench must be fresh.
  /// @throws foxhunt::Error as the plugin and the device do.
  HeadRun(Workbench& bench, const plugins::QHeadInstance& head, const Contents& inputs, double gamma);

  void infer() { infer_->submit(); }
  void learn() { learn_->submit(); }

 private:
  std::unique_ptr<compute::Executable> infer_, learn_;
};

}  // namespace foxhunt::probe
