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
    int32_t action;      ///< kClosing: no decision, a ruined account is closed out
  };
  static constexpr int32_t kClosing = -1;
  /// `begins`: time of each account's first decision, ns.
  explicit AccountPaths(std::vector<int64_t> begins)
      : begins_(std::move(begins)), paths_(begins_.size()), ruined_(begins_.size(), false) {}
  void add(size_t account, const Step& step) { paths_[account].push_back(step); }
  void ended(size_t account, bool ruined) { ruined_[account] = ruined; }
  EvaluationResult summarise(double tick_value, double year_seconds) const;

 private:
  std::vector<int64_t> begins_;
  std::vector<std::vector<Step>> paths_;
  std::vector<bool> ruined_;
};

/// Trading time in a year: 252 sessions of the market's mean length; a market without sessions never closes.
double seconds_a_year(const market::Market& market);

/// Annualised ratio of mean to standard deviation (of the sample) of an equity curve's changes over grid steps of
/// `grid_seconds`. NaN with fewer than 2 grid steps or no variance.
double sharpe_ratio(const std::vector<double>& changes, double grid_seconds, double year_seconds);

}  // namespace foxhunt::trainer
