#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "gate.hpp"

namespace foxhunt::diagnostics {

/// A gate has fired.
struct Firing {
  std::string gate;
  Action action = Action::warn;
  std::int64_t step = 0;  ///< the row's
  double value = 0, limit = 0;
  std::string sentence;  ///< what, value, limit, step, what to look at
};

/// Where a gate stands.
struct GateResult {
  enum class Status { not_reached, passed, fired };
  std::string gate;
  std::string condition;
  Action action = Action::warn;
  Status status = Status::not_reached;  ///< not_reached: no row in its range was looked at
  std::int64_t firings = 0;
  /// Of the first firing; else of the last row looked at.
  std::string metric;       ///< its element nearest to firing; empty: many, and all is well
  double value = 0;         ///< of that metric; of a trend its change over the window
  double limit = 0;         ///< what the gate compares with; NaN if it has no limit
  double margin = 0;        ///< distance of value from a breach, negative in one; NaN if it has none
  std::int64_t streak = 0;  ///< rows in a row in breach
  std::int64_t step = 0;
  std::string sentence;  ///< of the first firing
};

/// The gates of a run. Rows come in order of their steps, whenever the device has delivered them; decisions
/// are asked for once an iteration and look at rows that are `lag` iterations old, so that the stopping step
/// does not depend on when a row arrived.
class Gates {
 public:
  /// @throws Error naming origin, gate and field that is wrong.
  Gates(const std::vector<config::GateSettings>& settings, const MetricSchema& schema, std::int64_t lag);

  /// @throws std::logic_error if steps do not grow.
  void observe(const Row& row);

  /// After iteration `step`: firings by rows up to step - lag that were not decided on before, in order. The
  /// run stops if one of them is an abort (rows after it stay undecided).
  /// @throws std::logic_error if the row step - lag was not observed yet.
  std::vector<Firing> decide(std::int64_t step);

  /// At the end of a run that was not interrupted: decides on all rows that are left.
  std::vector<Firing> finish();

  /// After a resume at `step`: takes the run's rows so far from its diag.jsonl; counts of `for = k` go on as
  /// if the run had never stopped. Returns aborts alone: warnings were given in their time.
  std::vector<Firing> restore(const std::vector<Row>& rows, std::int64_t step);

  std::vector<GateResult> results() const;
  std::size_t size() const { return states_.size(); }
  /// Sentences on gates that will stop looking before iteration `last`, as their baseline ends.
  std::vector<std::string> short_baselines(std::int64_t last) const;

 private:
  struct State {
    Gate gate;
    GateResult result;
  };
  std::vector<Firing> decide_until(std::int64_t step);
  void look(State& state, const Row& row, std::vector<Firing>& firings) const;

  std::int64_t lag_;
  std::int64_t last_observed_ = 0;
  std::vector<State> states_;
  std::deque<Row> waiting_;
};

}  // namespace foxhunt::diagnostics
