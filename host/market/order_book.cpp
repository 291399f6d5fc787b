#include "market/order_book.hpp"

#include <algorithm>
#include <foxhunt/error.hpp>
#include <string>

#include "market/market.hpp"

namespace foxhunt::market {

BookTop::BookTop(int levels)
    : bid_px(static_cast<size_t>(levels), kNoPrice),
      ask_px(static_cast<size_t>(levels), kNoPrice),
      bid_sz(static_cast<size_t>(levels)),
      ask_sz(static_cast<size_t>(levels)) {}

void BookTop::clear() {
  std::fill(bid_px.begin(), bid_px.end(), kNoPrice);
  std::fill(ask_px.begin(), ask_px.end(), kNoPrice);
  std::fill(bid_sz.begin(), bid_sz.end(), 0u);
  std::fill(ask_sz.begin(), ask_sz.end(), 0u);
}

void OrderBook::take(Side side, int32_t price, uint32_t size) {
  Levels& l = levels(side);
  const auto level = l.find(key(side, price));
  level->second -= size;
  if (level->second == 0) l.erase(level);
}

void OrderBook::add(uint64_t id, Side side, int32_t price, uint32_t size) {
  const auto old = orders_.find(id);
  if (old != orders_.end()) {
    ++faults_.duplicate_orders;
    take(old->second.side, old->second.price, old->second.size);
    orders_.erase(old);
  }
  if (size == 0) return;
  orders_.emplace(id, Order{price, size, side});
  levels(side)[key(side, price)] += size;
}

void OrderBook::cancel(uint64_t id, uint32_t size) {
  const auto it = orders_.find(id);
  if (it == orders_.end()) {
    ++faults_.unknown_orders;
    return;
  }
  Order& order = it->second;
  if (size > order.size) ++faults_.oversize_cancels;
  const uint32_t taken = std::min(size, order.size);
  if (taken == 0) return;
  take(order.side, order.price, taken);
  order.size -= taken;
  if (order.size == 0) orders_.erase(it);
}

void OrderBook::modify(uint64_t id, Side side, int32_t price, uint32_t size) {
  const auto it = orders_.find(id);
  if (it == orders_.end()) {
    ++faults_.unknown_orders;
  } else {
    take(it->second.side, it->second.price, it->second.size);
    orders_.erase(it);
  }
  add(id, side, price, size);
}

void OrderBook::clear() {
  orders_.clear();
  bids_.clear();
  asks_.clear();
}

void OrderBook::clear(Side side) {
  std::erase_if(orders_, [side](const auto& entry) { return entry.second.side == side; });
  levels(side).clear();
}

void OrderBook::top(BookTop& out) const {
  out.clear();
  for (const Side side : {Side::bid, Side::ask}) {
    auto& px = side == Side::bid ? out.bid_px : out.ask_px;
    auto& sz = side == Side::bid ? out.bid_sz : out.ask_sz;
    size_t l = 0;
    for (const auto& [k, size] : side == Side::bid ? bids_ : asks_) {
      if (l == px.size()) break;
      if (size > UINT32_MAX)
        throw Error("a level holds " + std::to_string(size) + " lots, more than the market format can");
      px[l] = key(side, k);
      sz[l] = static_cast<uint32_t>(size);
      ++l;
    }
  }
}

}  // namespace foxhunt::market
