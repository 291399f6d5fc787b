#include "accounts.hpp"

#include <algorithm>
#include <cstdint>

#include "../kernels/environment.hpp"

namespace foxhunt::environment {

std::vector<std::string> feature_names(int64_t levels) {
  std::vector<std::string> names = book_feature_names(levels);
  names.insert(names.end(), {"position", "position_size", "unrealised_gain", "position_age", "session_left", "equity"});
  return names;
}

void Accounts::declare(compute::Tensors& tensors, const std::string& prefix, compute::Lifetime lifetime, const Feed& feed,
                       const FeedTensors& feed_tensors, AccountSettings settings) {
  settings_ = settings;
  feed_ = feed_tensors;
  levels_ = feed.levels;
  start_count_ = static_cast<int64_t>(feed.starts.size());
  tick_value_ = feed.tick_value;
  const auto add = [&](const char* name, fh_dtype dtype, const char* unit) {
    compute::TensorSpec spec;
    spec.name = prefix + "/" + name;
    spec.dtype = dtype;
    spec.shape = shape(settings.accounts);
    spec.axes = {"account"};
    spec.unit = unit;
    // Not scratch even where it is no state: it must keep its content between two runs of a program.
    spec.lifetime = lifetime;
    return tensors.add(std::move(spec));
  };
  row = add("row", FH_I32, "row of the market");
  position = add("position", FH_F64, "lots");
  entry_price = add("entry_price", FH_F64, "ticks");
  cash = add("cash", FH_F64, "USD since the episode's start");
  age = add("age", FH_I32, "steps since the position was opened");
  steps_left = add("steps_left", FH_I32, "steps");
  ended = add("ended", FH_U8, "0 runs, 1 terminated, 2 truncated");
  pnl = add("pnl", FH_F64, "USD since the run's start");
  fees = add("fees", FH_F64, "USD since the run's start");
  trades = add("trades", FH_I64, "closing fills");
  wins = add("wins", FH_I64, "closing fills that gained after fees");
  episodes = add("episodes", FH_I64, "ended since the run's start");
}

void Accounts::initialise(compute::Compute& compute, const std::vector<int32_t>& rows,
                          const std::vector<int32_t>& steps) const {
  compute.upload(row, rows.data(), rows.size() * sizeof(int32_t));
  compute.upload(steps_left, steps.data(), steps.size() * sizeof(int32_t));
  const std::vector<double> zeros(static_cast<size_t>(settings_.accounts), 0.0);
  for (const compute::TensorId id : {position, entry_price, cash, pnl, fees})
    compute.upload(id, zeros.data(), zeros.size() * sizeof(double));
  for (const compute::TensorId id : {trades, wins, episodes}) compute.upload(id, zeros.data(), zeros.size() * sizeof(int64_t));
  compute.upload(age, zeros.data(), zeros.size() * sizeof(int32_t));
  compute.upload(ended, zeros.data(), zeros.size() * sizeof(uint8_t));
}

void Accounts::record_observe(compute::Recording& recording, fh_tensor x) const {
  recording.recorder().launch(
      kernels::observe, Grid::elements(settings_.accounts),
      {in(recording.read(feed_.features)), in(recording.read(feed_.mark2)), in(recording.read(feed_.session_left)),
       in(recording.read(row)), in(recording.read(position)), in(recording.read(entry_price)), in(recording.read(cash)),
       in(recording.read(age)), out(x), f64(settings_.full), f64(tick_value_), i32(settings_.accounts)},
      {constant("BOOK_FEATURES", book_features(levels_)), constant("FEATURES", features())});
}

void Accounts::record_target(compute::Recording& recording, fh_tensor action, fh_tensor target) const {
  recording.recorder().launch(kernels::action_target, Grid::elements(settings_.accounts),
                              {in(action), in(recording.read(position)), out(target), f64(settings_.small),
                               f64(settings_.half), f64(settings_.full), f64(settings_.lot), i32(settings_.accounts)},
                              {constant("LEVELS", levels_)});
}

void Accounts::record_mask(compute::Recording& recording, fh_tensor mask) const {
  recording.recorder().launch(kernels::action_mask, Grid::elements(settings_.accounts),
                              {in(recording.read(position)), out(mask), i32(settings_.accounts)},
                              {constant("LEVELS", levels_)});
}

void Accounts::record_step(compute::Recording& recording, fh_tensor action, fh_tensor sized, compute::TensorId step,
                           const StepOutputs& o, uint32_t salt) const {
  Recorder recorder = recording.recorder();
  const Recorder::Key key = recorder.stream("episode_start");
  const int64_t limit = settings_.episode_steps > 0 ? settings_.episode_steps : INT32_MAX;
  const auto get = [&](compute::TensorId id) { return in(recording.read(id)); };
  const auto change = [&](compute::TensorId id) { return inout(recording.write(id)); };
  recorder.launch(
      kernels::account_step, Grid::elements(settings_.accounts),
      {get(feed_.bid_px), get(feed_.ask_px), get(feed_.bid_sz), get(feed_.ask_sz), get(feed_.mark2),
       get(feed_.next_row), get(feed_.tradable), get(feed_.row_end), get(feed_.starts), in(action), in(sized),
       change(row), change(position), change(entry_price), change(cash), change(age), change(steps_left),
       change(ended), change(pnl), change(fees), change(trades), change(wins), change(episodes), get(step), out(o.reward), out(o.done),
       out(o.valid), out(o.fill_row), out(o.fill_lots), out(o.fill_value), out(o.equity), f64(tick_value_),
       f64(settings_.fee), f64(settings_.reward_scale), f64(settings_.lot), f64(-settings_.loss_limit),
       i32(static_cast<int>(settings_.rounding)), i32(start_count_), i32(limit), u32(key.k[0]), u32(key.k[1]), u32(salt),
       i32(settings_.accounts)},
      {constant("LEVELS", levels_)});
}

}  // namespace foxhunt::environment
