#include "market/market.hpp"

#include <cmath>
#include <foxhunt/error.hpp>

namespace foxhunt::market {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& problem) {
  throw Error(what + ": " + problem);
}

std::string at(int64_t row) { return " at row " + std::to_string(row); }

/// One side of one row: prices strictly away from the best (`direction` -1 for bids, +1 for asks), absent
/// last.
void check_side(const Market& m, int64_t row, bool bid, const std::string& what) {
  const auto& px = bid ? m.bid_px : m.ask_px;
  const auto& sz = bid ? m.bid_sz : m.ask_sz;
  const char* side = bid ? "bid" : "ask";
  int32_t previous = kNoPrice;
  bool ended = false;
  for (int64_t l = 0; l < m.levels; ++l) {
    const auto i = static_cast<size_t>(row * m.levels + l);
    if ((px[i] == kNoPrice) != (sz[i] == 0))
      fail(what, std::string(side) + " level " + std::to_string(l) + at(row) +
                     " has a price without a size, or the reverse");
    if (px[i] == kNoPrice) {
      ended = true;
      continue;
    }
    if (ended)
      fail(what,
           std::string(side) + " level " + std::to_string(l) + at(row) + " lies behind an absent level");
    if (px[i] < -kMaxTicks || px[i] > kMaxTicks)
      fail(what, std::string(side) + " price out of range" + at(row));
    if (l > 0 && (bid ? px[i] >= previous : px[i] <= previous))
      fail(what, std::string(side) + " levels are not ordered from best to worst" + at(row));
    previous = px[i];
  }
}

void check_columns(const Market& m, const std::string& what) {
  if (m.levels < 1 || m.levels > kMaxLevels)
    fail(what, "a book has 1 to " + std::to_string(kMaxLevels) + " levels, not " + std::to_string(m.levels));
  const size_t rows = m.ts.size();
  const size_t cells = rows * static_cast<size_t>(m.levels);
  if (rows == 0) fail(what, "the market has no rows");
  const bool same = m.ts_event.size() == rows && m.flags.size() == rows && m.session.size() == rows &&
                    m.buy_volume.size() == rows && m.sell_volume.size() == rows &&
                    m.unsided_volume.size() == rows && m.bid_px.size() == cells && m.ask_px.size() == cells &&
                    m.bid_sz.size() == cells && m.ask_sz.size() == cells &&
                    (m.signal.empty() || m.signal.size() == rows);
  if (!same) fail(what, "the columns have different numbers of rows");
}

}  // namespace

void Market::resize(int64_t rows) {
  const auto n = static_cast<size_t>(rows);
  const size_t cells = n * static_cast<size_t>(levels);
  ts.resize(n);
  ts_event.resize(n);
  bid_px.resize(cells, kNoPrice);
  ask_px.resize(cells, kNoPrice);
  bid_sz.resize(cells);
  ask_sz.resize(cells);
  flags.resize(n);
  session.resize(n);
  buy_volume.resize(n);
  sell_volume.resize(n);
  unsided_volume.resize(n);
}

uint8_t book_shape(int32_t best_bid, int32_t best_ask) {
  if (best_bid == kNoPrice && best_ask == kNoPrice) return kEmpty;
  if (best_bid == kNoPrice || best_ask == kNoPrice) return kOneSided;
  if (best_bid > best_ask) return kCrossed;
  return best_bid == best_ask ? kLocked : 0;
}

void validate(const Market& m, const std::string& what) {
  check_columns(m, what);
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (!positive(m.instrument.tick_size)) fail(what, "the tick size must be a positive number");
  if (!positive(m.instrument.multiplier)) fail(what, "the contract multiplier must be a positive number");
  for (int64_t r = 0; r < m.rows(); ++r) {
    const auto i = static_cast<size_t>(r);
    check_side(m, r, true, what);
    check_side(m, r, false, what);
    if ((m.flags[i] & kBookShape) != book_shape(m.best_bid(r), m.best_ask(r)))
      fail(what, "the flags do not agree with the book" + at(r));
    if (m.session[i] < 0 || (r > 0 && m.session[i] < m.session[i - 1]))
      fail(what, "the session number goes back" + at(r));
    if (m.ts[i] < 0 || m.ts_event[i] < 0) fail(what, "a time before 1970" + at(r));
    if (!m.signal.empty() && !std::isfinite(m.signal[i])) fail(what, "the signal is not finite" + at(r));
  }
}

}  // namespace foxhunt::market
