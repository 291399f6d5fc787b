#pragma once
#include "environment/accounts.hpp"
#include "environment/feed.hpp"

namespace foxhunt::environment::test {

/// One account's books in plain C++, from the market itself and the rules of accounting: orders are filled level by
/// level, every fill is an entry, and equity comes from realised and unrealised gains instead of from cash.
class Ledger {
 public:
  Ledger(const market::Market& market, double latency_us, const AccountSettings& settings)
      : m_(market), s_(settings), latency_ns_(static_cast<int64_t>(latency_us * 1000)) {}

  void begin(int64_t row, int64_t steps);

  struct Step {
    bool valid = true, waits = false;
    int done = 0;
    double reward = 0, lots = 0, value = 0;
    int64_t fill_row = 0;
  };
  /// `target`: position asked for after sizing. After a closing step that does not wait, `begin` is due.
  Step step(int action, double target);

  double equity() const { return realised_ + unrealised() - paid_; }
  double cash() const { return cash_; }
  double mark() const { return mark(row_); }
  double position() const { return position_; }
  int64_t row() const { return row_; }
  bool ended() const { return ended_ != 0; }

  double pnl = 0, fees = 0;  ///< since the first episode's start
  int64_t trades = 0, wins = 0, episodes = 0;

 private:
  int64_t next(int64_t row) const;       // of the same session, or -1
  bool leads_on(int64_t row) const;      // to a row that can be traded on
  double mark(int64_t row) const;        // last valid mid
  double tick() const { return m_.instrument.tick_size * m_.instrument.multiplier; }
  double unrealised() const { return position_ * (mark(row_) - average_) * tick(); }
  void fill(Step& step, int64_t row, double change, bool forced);

  const market::Market& m_;
  AccountSettings s_;
  int64_t latency_ns_;
  int64_t row_ = 0, steps_left_ = 0;
  int ended_ = 0;
  double position_ = 0, average_ = 0, cash_ = 0, realised_ = 0, paid_ = 0;
};

}  // namespace foxhunt::environment::test
