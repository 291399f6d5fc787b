#pragma once
#include "evaluation.hpp"

namespace foxhunt::trainer {

/// Evaluation in an environment without a market: eval.accounts episodes side by side, each from its start to its end.
class EpisodeEvaluation final : public Evaluation {
 public:
  EpisodeEvaluation(Agent& agent, std::unique_ptr<environment::Environment> environment);
  void record() override;
  const compute::Program& program() const override { return program_; }
  void prepare(compute::Compute& compute) override;
  EvaluationResult run(compute::Compute& compute, const std::function<void(const Fill&)>& on_fill) override;

 private:
  Agent& agent_;
  std::unique_ptr<environment::Environment> environment_;
  std::unique_ptr<agent::Encoder::Pass> pass_;
  compute::TensorId x_, h_, action_, reward_, done_, valid_, score_, step_;
  compute::Program program_;
  std::unique_ptr<compute::Executable> executable_;
};

}  // namespace foxhunt::trainer
