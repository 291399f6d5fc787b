#pragma once
#include "../environment/accounts.hpp"
#include "critic_samples.hpp"
#include "evaluation.hpp"

namespace foxhunt::trainer {

/// Evaluation on one part of the market. The part is cut into one segment an account; each
/// account walks its segment once, starts flat and is closed out at its end or when it is ruined, so the curve joined
/// in time is that of one account walking the whole part. With `critics`, what they say at its decisions is kept, where
/// the market is planted.
class MarketEvaluation final : public Evaluation {
 public:
  MarketEvaluation(Agent& agent, const market::Market& market, const environment::FeatureScale& scale, std::string part,
                   environment::RowRange rows, bool critics);
  void record() override;
  const compute::Program& program() const override { return program_; }
  void prepare(compute::Compute& compute) override;
  EvaluationResult run(compute::Compute& compute, const std::function<void(const Fill&)>& on_fill) override;

 private:
  Agent& agent_;
  std::string part_, prefix_;
  int64_t first_row_ = 0, accounts_count_ = 0;
  double year_seconds_ = 0;
  environment::Feed feed_;
  environment::FeedTensors feed_tensors_;
  environment::Accounts accounts_;
  std::unique_ptr<agent::Encoder::Pass> pass_;
  std::vector<int32_t> start_rows_;
  compute::TensorId x_, h_, action_, target_, sized_, scale_, reward_, done_, valid_, fill_row_,
      fill_lots_, fill_value_, equity_, step_;
  compute::Program program_;
  std::unique_ptr<CriticProbe> critics_;
  std::unique_ptr<PlantedScorer> planted_;  ///< null: another market
  std::unique_ptr<compute::Executable> executable_;
};

}  // namespace foxhunt::trainer
