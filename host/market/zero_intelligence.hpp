#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "market/order_book.hpp"
#include "market/philox.hpp"

namespace foxhunt::market {

/// Rates of Cont, Stoikov, Talreja, "A Stochastic Model for Order Book Dynamics", Operations Research 58
/// (2010), fitted to Sky Perfect Communications. Orders have unit size; distances i are ticks from the
/// opposite best quote.
struct ZeroIntelligenceRates {
  std::vector<double> limit = {1.85, 1.51, 1.09, 0.88, 0.77};  ///< per minute at i = 1, 2, ...
  double limit_scale = 1.92, limit_power = 0.52;               ///< beyond the table: scale / i^power
  std::vector<double> cancel = {0.71, 0.81, 0.68, 0.56,
                                0.47};  ///< per minute and order; the last one holds beyond
  double market = 0.94;                 ///< per minute and side
  int reach = 30;                       ///< limit orders arrive up to this distance; none beyond
};

/// The book as a continuous-time Markov chain, driven event by event. Level sizes are numbers of orders.
class ZeroIntelligenceBook {
 public:
  enum class Event : uint8_t { limit_bid, limit_ask, market_buy, market_sell, cancel_bid, cancel_ask };

  /// An empty book around `price`; set() gives it orders. Throws foxhunt::Error for rates that are not
  /// positive.
  ZeroIntelligenceBook(const ZeroIntelligenceRates& rates, int32_t price);

  void set(Side side, int32_t price, uint32_t orders);
  /// Draws the next event from four 32-bit words, applies it, and returns the time it took in minutes.
  double step(const std::array<uint32_t, 4>& random, Event& event);

  /// Best prices. An empty side keeps its last quote as the reference for the other side's distances.
  int32_t best_bid() const { return best_bid_; }
  int32_t best_ask() const { return best_ask_; }
  uint32_t size(Side side, int32_t price) const;
  bool empty(Side side) const { return (side == Side::bid ? bid_orders_ : ask_orders_) == 0; }
  void top(BookTop& out) const;

 private:
  double limit_rate(int distance) const { return limit_[static_cast<size_t>(distance - 1)]; }
  double cancel_rate(int64_t distance) const;
  size_t cell(int32_t price) const { return static_cast<size_t>(price - origin_); }
  double cancels(Side side) const;
  int32_t pick_cancel(Side side, double target) const;
  void change(Side side, int32_t price, int delta);
  void recentre();
  void find_best(Side side);

  std::vector<double> limit_, cancel_;
  double limit_total_ = 0, market_;
  int reach_;
  int32_t origin_;                     // price of cell 0
  std::vector<uint32_t> bids_, asks_;  // orders a cell
  uint64_t bid_orders_ = 0, ask_orders_ = 0;
  int32_t best_bid_, best_ask_;
  int32_t low_bid_, high_ask_;  // no orders lie beyond
};

}  // namespace foxhunt::market
