#include "market/row_builder.hpp"

#include <foxhunt/error.hpp>

namespace foxhunt::market {
namespace {

uint32_t column(uint64_t lots) {
  if (lots > UINT32_MAX)
    throw Error(std::to_string(lots) + " lots trade between two rows, more than the market format can hold");
  return static_cast<uint32_t>(lots);
}

}  // namespace

RowBuilder::RowBuilder(Market& market, int levels) : market_(market), last_(levels) {
  market.levels = levels;
}

void RowBuilder::trade(char side, uint32_t size) {
  (side == 'B' ? bought_ : side == 'A' ? sold_ : unsided_) += size;
}

bool RowBuilder::end_event(int64_t ts, int64_t ts_event, const BookTop& book, uint8_t state,
                           int32_t session) {
  const uint8_t lasting = state & (kHalted | kDoubtful);
  if (!market_.ts.empty() && lasting == last_state_ && book == last_) return false;
  market_.ts.push_back(ts);
  market_.ts_event.push_back(ts_event);
  market_.bid_px.insert(market_.bid_px.end(), book.bid_px.begin(), book.bid_px.end());
  market_.ask_px.insert(market_.ask_px.end(), book.ask_px.begin(), book.ask_px.end());
  market_.bid_sz.insert(market_.bid_sz.end(), book.bid_sz.begin(), book.bid_sz.end());
  market_.ask_sz.insert(market_.ask_sz.end(), book.ask_sz.begin(), book.ask_sz.end());
  market_.flags.push_back(static_cast<uint8_t>(state | book_shape(book.bid_px[0], book.ask_px[0])));
  market_.session.push_back(session);
  market_.buy_volume.push_back(column(bought_));
  market_.sell_volume.push_back(column(sold_));
  market_.unsided_volume.push_back(column(unsided_));
  bought_ = sold_ = unsided_ = 0;
  last_ = book;
  last_state_ = lasting;
  return true;
}

}  // namespace foxhunt::market
