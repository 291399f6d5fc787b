#pragma once
#include "../diagnostics/document.hpp"
#include "../diagnostics/schema.hpp"
#include "evaluation.hpp"

namespace foxhunt::trainer {

/// Content of summary.json.
struct Summary {
  int64_t iterations = 0, env_steps = 0;
  double wall_s = 0, env_steps_per_s = 0;
  std::string verdict;
  std::vector<EvaluationResult> evaluations;
};
/// `last`: metrics of the last iteration, or null.
diagnostics::Document to_document(const Summary& summary, const diagnostics::Row* last);
diagnostics::Document to_document(const EvaluationResult& result);

/// Content of equity.csv: a line a step and part, columns part, ts [ns since 1970, UTC], equity_usd (since the part's
/// start, net of fees, marked at the mid), drawdown_usd (from the highest equity so far).
std::string equity_csv(const std::vector<EvaluationResult>& evaluations);

}  // namespace foxhunt::trainer
