#pragma once
#include <memory>
#include <vector>

#include "environment/accounts.hpp"
#include "markets.hpp"

namespace foxhunt::environment::test {

/// The actions by name.
enum Action : int32_t {
  kShortFull, kShortHalf, kShortSmall, kHold, kLongSmall, kLongHalf, kLongFull, kHalfFlat, kFullFlat
};

/// Accounts on the CPU, driven a step at a time.
class Rig {
 public:
  Rig(const Feed& feed, const AccountSettings& settings, uint64_t seed = 1, int threads = 1);

  /// All flat, account i on rows[i]. Steps left: none counted, or steps[i].
  void start(const std::vector<int32_t>& rows, const std::vector<int32_t>& steps = {});
  /// One step with targets as they are, or times scale[i].
  void step(const std::vector<int32_t>& action, const std::vector<double>& scale = {});
  void step(int32_t action) { step(std::vector<int32_t>(static_cast<size_t>(settings.accounts), action)); }
  /// Observations [accounts, features], of the present rows.
  std::vector<float> observe();
  std::vector<float> targets(const std::vector<int32_t>& action);

  template <class T>
  std::vector<T> get(compute::TensorId id) const {
    std::vector<T> values(static_cast<size_t>(compute::elements_of(tensors_[id].shape)));
    compute_->download(id, values.data(), values.size() * sizeof(T));
    return values;
  }
  double position(size_t account = 0) const { return get<double>(accounts.position)[account]; }
  double cash(size_t account = 0) const { return get<double>(accounts.cash)[account]; }
  int32_t row(size_t account = 0) const { return get<int32_t>(accounts.row)[account]; }
  double fill_value(size_t account = 0) const { return get<double>(value)[account]; }

  AccountSettings settings;
  Accounts accounts;
  compute::TensorId reward, done, valid, fill_row, lots, value, equity;

 private:
  compute::Tensors tensors_;
  FeedTensors feed_;
  compute::TensorId action_, target_, sized_, x_, step_;
  std::unique_ptr<compute::Compute> compute_;
  compute::Program observe_program_, target_program_, step_program_;
  std::unique_ptr<compute::Executable> observe_, targets_, step_run_;
};

}  // namespace foxhunt::environment::test
