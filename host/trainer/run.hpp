#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "../diagnostics/diag_file.hpp"
#include "../diagnostics/gates.hpp"
#include "../diagnostics/progress.hpp"
#include "fill_log.hpp"
#include "metrics.hpp"
#include "session.hpp"
#include "summary.hpp"
#include "train.hpp"

namespace foxhunt::checkpoints {
class Store;
}

namespace foxhunt::trainer {

/// One run from its folder to its verdict, an iteration at a time, so that several can take turns on a device.
class Run {
 public:
  using ShowProgress = std::function<void(const diagnostics::ProgressState&)>;

  /// Everything that can be refused is refused here, before a folder is made or changed.
  explicit Run(const TrainRequest& request);
  ~Run();

  /// Makes or reopens the folder. `show` is called after each iteration whose metrics were read.
  void open(ShowProgress show);
  /// Starts one iteration and reads the metrics of an earlier one. Only while `going()`.
  void advance();
  bool going() const { return session_.step() < plan_.iterations && !aborted_ && !interrupted_; }
  void interrupt() { interrupted_ = true; }
  /// Waits for what was started and writes the last checkpoint.
  void settle();
  /// Evaluation, verdict and summary. After it nothing but `result` is used.
  void finish();

  struct Result {
    std::filesystem::path folder;
    diagnostics::Verdict verdict;
    Summary summary;
  };
  const Result& result() const { return result_; }
  const Plan& plan() const { return plan_; }
  int64_t first() const { return first_; }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void start_weights();
  void take_metrics(int64_t iteration);  // of all iterations up to this one
  bool act_on(const std::vector<diagnostics::Firing>& firings);
  void save();

  const TrainRequest request_;
  std::optional<checkpoints::Reader> from_;  // checkpoint to resume or to take weights from
  Session session_;
  MetricsReader metrics_;
  const Plan& plan_;
  diagnostics::Gates gates_;
  std::unique_ptr<checkpoints::Store> store_;
  std::optional<diagnostics::DiagWriter> diag_;
  std::optional<diagnostics::Row> last_;
  std::optional<FillLog> fills_;
  ShowProgress show_;
  Result result_;
  int64_t first_ = 0, read_ = 0, saved_ = -1, rate_step_ = 0;
  double wall_before_ = 0, wall_ = 0, rate_ = 0, rate_time_ = 0;
  bool aborted_ = false, interrupted_ = false;
  Clock::time_point start_;
};

}  // namespace foxhunt::trainer
