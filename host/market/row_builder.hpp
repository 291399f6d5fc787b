#pragma once
#include "market/market.hpp"
#include "market/order_book.hpp"

namespace foxhunt::market {

/// Turns events into rows of a Market: one row for each event after which the levels kept, or the state of
/// trading, are other than in the row before. Volume traded waits for the next row.
class RowBuilder {
 public:
  RowBuilder(Market& market, int levels);
  /// `side`: 'B' bought by the aggressor, 'A' sold, anything else without a side.
  void trade(char side, uint32_t size);
  /// The event, of trading session `session`, is complete. `state` may hold kHalted, kSnapshot, kDoubtful.
  /// Returns whether a row was added.
  bool end_event(int64_t ts, int64_t ts_event, const BookTop& book, uint8_t state, int32_t session = 0);
  /// Lots traded since the last row.
  int64_t waiting_volume() const { return static_cast<int64_t>(bought_ + sold_ + unsided_); }

 private:
  Market& market_;
  BookTop last_;
  uint8_t last_state_ = 0;
  uint64_t bought_ = 0, sold_ = 0, unsided_ = 0;
};

}  // namespace foxhunt::market
