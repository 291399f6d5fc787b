#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/gate_settings.hpp"
#include "expression.hpp"
#include "schema.hpp"

namespace foxhunt::diagnostics {

enum class Action { warn, fail_at_end, abort };

/// A gate, ready to be asked about rows. It is breached by a row inside [from, to] where
///   metric op value     holds (op one of < <= > >=),
///   metric              is outside of [a, b] (op `in`),
///   metric              is NaN or infinite (any op; the only condition of `finite`),
/// and fires once `sustained` rows in a row breached it.
class Gate {
 public:
  /// @throws Error naming origin, gate and field.
  Gate(const config::GateSettings& settings, const MetricSchema& schema);

  /// What a breach looked like.
  struct Breach {
    std::size_t place = 0;  ///< of the metric
    double value = 0;
    double limit = 0;  ///< NaN if there is none
  };
  std::optional<Breach> breached_by(const Row& row) const;
  /// The metric, where it looks at one alone.
  std::optional<std::size_t> only_place() const {
    return places_.size() == 1 ? std::optional(places_[0]) : std::nullopt;
  }
  bool covers(std::int64_t step) const { return step >= from && (to == 0 || step <= to); }

  std::string condition() const;  ///< "q_pi_agree_ema < -0.3 for 10 iterations, from step 100"

  std::string name;
  Action action = Action::abort;
  std::int64_t from = 0, to = 0, sustained = 1;

 private:
  enum class Op { less, less_equal, greater, greater_equal, in, finite };
  bool breaks(double value, const Row& row, double& limit) const;

  Op op_ = Op::less;
  std::string op_text_, metric_;
  std::vector<std::size_t> places_;  ///< metrics looked at, in order; several for `all`
  std::vector<Expression> limits_;   ///< one; two for `in`; none for `finite`
};

std::string to_text(Action action);

}  // namespace foxhunt::diagnostics
