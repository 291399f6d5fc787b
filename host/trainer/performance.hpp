#pragma once
#include <cstdint>
#include <vector>

#include "../market/market.hpp"
#include "evaluation.hpp"

namespace foxhunt::trainer {

/// The steps of an evaluation's accounts, which follow one another in time; sums them up as one walk.
class AccountPaths {
 public:
  struct Step {
    int64_t ts;          ///< ns, of the row reached
    double equity;       ///< USD since the account's start, marked at the mid
    double lots, value;  ///< signed fill, and its value in ticks
    double fee;          ///< USD
    int32_t action;
  };
  explicit AccountPaths(size_t accounts) : paths_(accounts), ruined_(accounts, false) {}
  void add(size_t account, const Step& step) { paths_[account].push_back(step); }
  void ended(size_t account, bool ruined) { ruined_[account] = ruined; }
  EvaluationResult summarise(double tick_value, double year_seconds) const;

 private:
  std::vector<std::vector<Step>> paths_;
  std::vector<bool> ruined_;
};

/// Trading time in a year: 252 sessions of the market's mean length; a market without sessions never closes.
double seconds_a_year(const market::Market& market);

/// Annualised ratio of mean to standard deviation of the curve's changes on a grid of `grid_seconds` of trading
/// time (gaps between segments are left out). NaN with fewer than 2 grid steps or no variance.
double sharpe_ratio(const std::vector<double>& changes, double grid_seconds, double year_seconds);

}  // namespace foxhunt::trainer
