#include "ledger.hpp"

#include <cmath>

namespace foxhunt::environment::test {

int64_t Ledger::next(int64_t row) const {
  const auto ts = [&](int64_t r) { return m_.ts[static_cast<size_t>(r)]; };
  int64_t to = row + 1;
  while (to < m_.rows() && ts(to) < ts(row) + latency_ns_) ++to;
  return to < m_.rows() && m_.session[static_cast<size_t>(to)] == m_.session[static_cast<size_t>(row)] ? to : -1;
}

bool Ledger::leads_on(int64_t row) const {
  for (row = next(row); row >= 0; row = next(row))
    if (m_.is_tradable(row)) return true;
  return false;
}

double Ledger::mark(int64_t row) const {
  while (!m_.is_tradable(row)) --row;
  return (static_cast<double>(m_.best_bid(row)) + m_.best_ask(row)) / 2;
}

void Ledger::begin(int64_t row, int64_t steps) {
  row_ = row;
  steps_left_ = steps;
  ended_ = 0;
  position_ = average_ = cash_ = realised_ = paid_ = 0;
}

void Ledger::fill(Step& step, int64_t row, double change, bool forced) {
  const bool buy = change > 0;
  double left = std::abs(change), price = 0;
  for (int64_t l = 0; l < m_.levels && left > 0; ++l) {
    const auto at = static_cast<size_t>(row * m_.levels + l);
    const int32_t shown = buy ? m_.ask_px[at] : m_.bid_px[at];
    if (shown == market::kNoPrice) break;
    price = shown;
    const double take = std::min<double>(left, buy ? m_.ask_sz[at] : m_.bid_sz[at]);
    step.lots += take;
    step.value += take * price;
    left -= take;
  }
  if (forced) step.lots += left, step.value += left * price;
  if (step.lots == 0) return;

  const double average = step.value / step.lots, sign = buy ? 1 : -1, fee = s_.fee * step.lots;
  double opened = step.lots;
  if (position_ * sign < 0) {
    const double closed = std::min(std::abs(position_), step.lots);
    const double gain = closed * (average - average_) * -sign * tick();
    realised_ += gain;
    ++trades;
    if (gain > 2 * s_.fee * closed) ++wins;
    position_ += sign * closed;
    opened -= closed;
    if (position_ == 0) average_ = 0;
  }
  if (opened > 0) {
    average_ = (average_ * std::abs(position_) + average * opened) / (std::abs(position_) + opened);
    position_ += sign * opened;
  }
  cash_ -= sign * step.value * tick() + fee;
  paid_ += fee;
  fees += fee;
  step.lots *= sign;
  step.value *= sign;
}

Ledger::Step Ledger::step(int action, double target) {
  Step s;
  const double before = equity();
  const int64_t to = next(row_);
  const bool closing = ended_ != 0;
  s.valid = !closing;
  if (closing && (to < 0 || !leads_on(row_))) {  // closed out on its last row already
    s.fill_row = row_;
    return s;
  }
  const bool end = !closing && !leads_on(to);
  s.waits = closing && position_ != 0 && !m_.is_tradable(to);
  double wanted = target;
  if (s_.rounding == Rounding::nearest) wanted = std::round(target / s_.lot) * s_.lot;
  if (s_.rounding == Rounding::truncate) wanted = std::trunc(target / s_.lot) * s_.lot;
  if (action == 3) wanted = position_;
  if (action == 7) wanted = std::trunc(position_ / 2 / s_.lot) * s_.lot;
  if (action == 8) wanted = 0;
  if (closing || end) wanted = 0;
  if (m_.is_tradable(to) && wanted != position_) fill(s, to, wanted - position_, closing || end);
  s.fill_row = row_ = to;
  const double gain = equity() - before;
  pnl += gain;
  if (closing) return s;

  s.reward = gain / tick() * s_.reward_scale;
  const bool data = end && m_.session[static_cast<size_t>(to)] == m_.session.back();
  if (--steps_left_ <= 0 || data) s.done = 2;
  if ((end && !data) || equity() <= -s_.loss_limit) s.done = 1;
  ended_ = s.done;
  episodes += s.done != 0;
  return s;
}

}  // namespace foxhunt::environment::test
