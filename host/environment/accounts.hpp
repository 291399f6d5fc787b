#pragma once
#include <string>

#include "../compute/compute.hpp"
#include "environment.hpp"
#include "feed.hpp"

namespace foxhunt::environment {

/// Number of flat actions: short full, half, small; hold; long small, half, full; half flat; full flat.
inline constexpr int64_t kActions = 9;
/// Features of the account itself: position and |position| (of full), unrealised PnL, time in position, share of
/// the session left, equity change; the 3rd, 4th and 6th squashed to (-1, 1) by x / (1 + |x|).
inline constexpr int64_t kAccountFeatures = 6;
/// Names of an observation's features: those of the book, then those of the account.
std::vector<std::string> feature_names(int64_t levels);

enum class Rounding : int { none = 0, nearest = 1, truncate = 2 };

struct AccountSettings {
  int64_t accounts = 1;
  double small = 1, half = 2, full = 4;  ///< lots
  double lot = 1;                        ///< orders are whole multiples of it
  double fee = 0;                        ///< USD a filled lot, taker
  double reward_scale = 1;               ///< a tick of one lot
  double loss_limit = 1e300;             ///< USD lost since the episode's start at which it terminates
  Rounding rounding = Rounding::nearest;
  int64_t episode_steps = 0;             ///< 0: no limit
};

/// Accounts that trade one feed. Cash and equity are doubles in USD counted from the episode's start, so PnL is
/// right to the cent whatever the price level.
class Accounts {
 public:
  /// `prefix` names the tensors: "/env" for the state of a run; `lifetime` says whether they are state.
  void declare(compute::Tensors& tensors, const std::string& prefix, compute::Lifetime lifetime, const Feed& feed,
               const FeedTensors& feed_tensors, AccountSettings settings);
  /// All accounts flat. `rows`: first row of each; `steps`: steps left of each.
  void initialise(compute::Compute& compute, const std::vector<int32_t>& rows, const std::vector<int32_t>& steps) const;

  int64_t features() const { return book_features(levels_) + kAccountFeatures; }
  const AccountSettings& settings() const { return settings_; }

  /// x [accounts, features()] of the present rows.
  void record_observe(compute::Recording& recording, fh_tensor x) const;
  /// target f32 [accounts]: the position in lots that each action asks for.
  void record_target(compute::Recording& recording, fh_tensor action, fh_tensor target) const;
  /// mask u8 [accounts, 9]: 0 for what would do nothing in the present state (half and full flat when flat).
  void record_mask(compute::Recording& recording, fh_tensor mask) const;
  /// One step. `sized` f32 [accounts]: the target after sizing; hold and the flat actions ignore it.
  void record_step(compute::Recording& recording, fh_tensor action, fh_tensor sized, compute::TensorId step,
                   const StepOutputs& outputs, uint32_t salt) const;

  compute::TensorId row, position, entry_price, cash, age, steps_left, ended, pnl, fees, trades, wins, episodes;

 private:
  AccountSettings settings_;
  FeedTensors feed_;
  int64_t levels_ = 0, start_count_ = 0;
  double tick_value_ = 0;
};

}  // namespace foxhunt::environment
