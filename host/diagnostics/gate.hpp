#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "config/gate_settings.hpp"
#include "expression.hpp"
#include "schema.hpp"

namespace foxhunt::diagnostics {

enum class Action { warn, fail_at_end, abort };

/// A gate, shown rows in the order of their steps. A row inside [from, to] breaches it where
///   metric op value         holds (op one of < <= > >=),
///   metric                  is outside of [a, b] (op `in`),
///   metric                  does not fall or rise over the last w rows (op `decreasing`, `increasing`): by
///   the
///                           slope of the least-squares line through them, once there are w,
///   an update ratio         is 0, so that a tensor did not change (op `changes`),
///   metric or value         is NaN or infinite (any op; the only condition of `finite`).
/// It fires once `sustained` rows in a row breached it. A metric that is an array, or `all`, stands for each
/// of its elements: it fires once one of them was in breach for so long. A row whose step the baseline does
/// not have is passed over: it breaches nothing and ends a streak.
class Gate {
 public:
  /// Reads the baseline as it is now.
  /// @throws Error naming origin, gate and field.
  Gate(const config::GateSettings& settings, const MetricSchema& schema);

  /// What a row showed at the element nearest to firing.
  struct Reading {
    std::size_t place = 0;  ///< of the metric
    double value = 0;       ///< the metric; of a trend its change over the window
    double limit = 0;       ///< NaN if there is none
    double margin =
        0;  ///< how far value is from a breach, in its unit; negative in one; NaN if it has no size
    std::int64_t streak = 0;  ///< rows in a row in breach, this one included; 0: it breaches nothing
    bool fires = false;       ///< the streak has just become long enough
  };
  /// Nothing for a row that it does not look at.
  std::optional<Reading> look(const Row& row);

  bool covers(std::int64_t step) const { return step >= from && (to == 0 || step <= to); }
  /// Whether a reading that breaches nothing has a value to show: `all` while all is well has none.
  bool shows_value() const { return op_ != Op::finite || elements_.size() == 1; }

  std::string condition() const;  ///< "q_pi_agree_ema < -0.3 for 10 iterations in a row, from step 100"
  /// "x was 3 USD", "l_v changed by 0.2 over 100 iterations"
  std::string observation(const Reading& reading, const MetricSchema& schema) const;
  /// Last step of the baseline, where there is one.
  std::optional<std::int64_t> baseline_end() const;

  std::string name;
  Action action = Action::abort;
  std::int64_t from = 0, to = 0, sustained = 1;

 private:
  enum class Op { less, less_equal, greater, greater_equal, in, finite, decreasing, increasing, changes };
  struct Element {
    std::size_t place = 0;
    std::int64_t streak = 0;
    std::deque<double> window;  ///< of a trend
  };
  bool is_trend() const { return op_ == Op::decreasing || op_ == Op::increasing; }
  std::vector<std::size_t> places_of(const std::string& metric, const MetricSchema& schema) const;
  void parse_value(const config::GateSettings& settings, const MetricSchema& schema);
  void check_range() const;
  void check_baseline(const config::GateSettings& settings) const;
  std::vector<const Series*> baselines() const;
  std::optional<Reading> read(Element& element, const Row& row) const;

  Op op_ = Op::less;
  std::string op_text_, metric_;
  std::vector<Element> elements_;   ///< what is looked at, in order
  std::vector<Expression> limits_;  ///< one; two for `in`; none for `finite`, trends and `changes`
  std::size_t window_ = 1;          ///< rows of a trend
  std::int64_t longest_ = 0;        ///< streak so far
};

std::string to_text(Action action);

}  // namespace foxhunt::diagnostics
