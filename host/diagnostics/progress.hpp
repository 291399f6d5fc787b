#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/log.hpp"

namespace foxhunt::diagnostics {

/// What the progress line shows.
struct ProgressState {
  std::int64_t step = 0;  ///< iterations done
  double env_steps_per_s = 0;
  double pnl_usd = 0;
  std::optional<double> episode_return{};  ///< shown instead of PnL where the task is no market
  double q_pi_agree = 0;
  double entropy = 0;
};

/// "1.23M", "45.6k", "7.8"
std::string short_number(double value);
/// "1:05", "2:03:04", "?" for what is not known
std::string short_time(double seconds);

/// One terminal row of at most `columns` characters; parts that do not fit are left out, from the right.
std::string bar_line(const ProgressState& state, std::int64_t total, double eta_s, int columns, bool colour);
/// The same without a bar.
std::string plain_line(const ProgressState& state, std::int64_t total, double eta_s);

/// Shows how a run gets on: on a terminal one row, redrawn at most ten times a second; elsewhere plain lines,
/// the first after `plain_every_s` seconds.
class Progress {
 public:
  struct Options {
    std::int64_t total = 0;  ///< iterations of the run
    std::int64_t first = 0;  ///< done before this start (resume)
    double plain_every_s = 10;
    log::Terminal (*terminal)() = log::terminal;
    std::function<double()> seconds;                  ///< a clock; null: steady_clock
    std::function<void(std::string_view)> row, line;  ///< outputs; null: log::status, log::info
  };
  explicit Progress(Options options);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void update(const ProgressState& state);
  /// Removes the row; on other outputs a last plain line if there was an update since the last one.
  void finish();

 private:
  double eta(std::int64_t step, double now) const;

  Options options_;
  bool interactive_ = false, drawn_ = false, unsaid_ = false;
  double start_ = 0, last_ = 0;
  ProgressState state_;
};

}  // namespace foxhunt::diagnostics
