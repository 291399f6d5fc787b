#include "market/zero_intelligence.hpp"

#include <algorithm>
#include <cmath>
#include <foxhunt/error.hpp>

#include "market/market.hpp"

namespace foxhunt::market {
namespace {

constexpr int32_t kCells = 1 << 14;
constexpr int32_t kMargin = 1 << 11;  // recentre when a quote comes this near to an end of the cells

void require(bool ok, const char* what) {
  if (!ok) throw Error(std::string("synthetic market: ") + what);
}

}  // namespace

ZeroIntelligenceBook::ZeroIntelligenceBook(const ZeroIntelligenceRates& r, int32_t price)
    : cancel_(r.cancel),
      market_(r.market),
      reach_(r.reach),
      origin_(price - kCells / 2),
      bids_(kCells),
      asks_(kCells),
      best_bid_(price),
      best_ask_(price + 1),
      low_bid_(price),
      high_ask_(price + 1) {
  require(r.reach >= 1 && r.reach <= 1000, "reach must lie between 1 and 1000 ticks");
  require(!r.cancel.empty(), "at least one cancellation rate is needed");
  for (int i = 1; i <= r.reach; ++i)
    limit_.push_back(static_cast<size_t>(i) <= r.limit.size() ? r.limit[static_cast<size_t>(i - 1)]
                                                              : r.limit_scale / std::pow(i, r.limit_power));
  for (const double x : limit_) {
    require(std::isfinite(x) && x > 0, "rates of limit orders must be positive");
    limit_total_ += x;
  }
  for (const double x : cancel_) require(std::isfinite(x) && x > 0, "cancellation rates must be positive");
  require(std::isfinite(market_) && market_ > 0, "the rate of market orders must be positive");
  require(price > -kMaxTicks + kCells && price < kMaxTicks - kCells, "the first price is out of range");
}

double ZeroIntelligenceBook::cancel_rate(int64_t distance) const {
  return cancel_[static_cast<size_t>(std::clamp<int64_t>(distance, 1, static_cast<int64_t>(cancel_.size())) -
                                     1)];
}

uint32_t ZeroIntelligenceBook::size(Side side, int32_t price) const {
  if (price < origin_ || price >= origin_ + kCells) return 0;
  return (side == Side::bid ? bids_ : asks_)[cell(price)];
}

void ZeroIntelligenceBook::find_best(Side side) {
  if (empty(side)) return;
  if (side == Side::bid) {
    while (bids_[cell(best_bid_)] == 0) --best_bid_;
  } else {
    while (asks_[cell(best_ask_)] == 0) ++best_ask_;
  }
}

void ZeroIntelligenceBook::change(Side side, int32_t price, int delta) {
  const bool bid = side == Side::bid;
  uint32_t& n = (bid ? bids_ : asks_)[cell(price)];
  uint64_t& orders = bid ? bid_orders_ : ask_orders_;
  const bool first = orders == 0;
  n = static_cast<uint32_t>(static_cast<int64_t>(n) + delta);
  orders = static_cast<uint64_t>(static_cast<int64_t>(orders) + delta);
  if (delta > 0) {
    if (bid) {
      best_bid_ = first ? price : std::max(best_bid_, price);
      low_bid_ = first ? price : std::min(low_bid_, price);
    } else {
      best_ask_ = first ? price : std::min(best_ask_, price);
      high_ask_ = first ? price : std::max(high_ask_, price);
    }
  } else {
    find_best(side);
  }
}

void ZeroIntelligenceBook::set(Side side, int32_t price, uint32_t orders) {
  require(price >= origin_ && price < origin_ + kCells, "a price outside the book's range");
  if (const int64_t delta = int64_t{orders} - size(side, price); delta != 0)
    change(side, price, static_cast<int>(delta));
}

double ZeroIntelligenceBook::cancels(Side side) const {
  double total = 0;
  if (empty(side)) return total;
  if (side == Side::bid) {
    for (int32_t p = best_bid_; p >= low_bid_; --p)
      total += bids_[cell(p)] * cancel_rate(int64_t{best_ask_} - p);
  } else {
    for (int32_t p = best_ask_; p <= high_ask_; ++p)
      total += asks_[cell(p)] * cancel_rate(int64_t{p} - best_bid_);
  }
  return total;
}

int32_t ZeroIntelligenceBook::pick_cancel(Side side, double target) const {
  // Rounding may leave a remainder after the last level; the last level with an order takes it.
  int32_t last = side == Side::bid ? best_bid_ : best_ask_;
  if (side == Side::bid) {
    for (int32_t p = best_bid_; p >= low_bid_; --p) {
      if (bids_[cell(p)] == 0) continue;
      last = p;
      if ((target -= bids_[cell(p)] * cancel_rate(int64_t{best_ask_} - p)) < 0) break;
    }
  } else {
    for (int32_t p = best_ask_; p <= high_ask_; ++p) {
      if (asks_[cell(p)] == 0) continue;
      last = p;
      if ((target -= asks_[cell(p)] * cancel_rate(int64_t{p} - best_bid_)) < 0) break;
    }
  }
  return last;
}

double ZeroIntelligenceBook::step(const std::array<uint32_t, 4>& random, Event& event) {
  const double rates[6] = {limit_total_,
                           limit_total_,
                           empty(Side::ask) ? 0.0 : market_,
                           empty(Side::bid) ? 0.0 : market_,
                           cancels(Side::bid),
                           cancels(Side::ask)};
  double total = 0;
  for (const double r : rates) total += r;
  double target = open_unit(random[0], random[1]) * total;
  size_t kind = 0;
  while (kind < 5 && (target >= rates[kind] || rates[kind] == 0)) target -= rates[kind++];
  if (rates[kind] == 0) kind = 0;  // rounding past the end
  event = static_cast<Event>(kind);
  switch (event) {
    case Event::limit_bid:
    case Event::limit_ask: {
      int i = 1;
      while (i < reach_ && target >= limit_rate(i)) target -= limit_rate(i++);
      if (event == Event::limit_bid)
        change(Side::bid, best_ask_ - i, 1);
      else
        change(Side::ask, best_bid_ + i, 1);
      break;
    }
    case Event::market_buy:
      change(Side::ask, best_ask_, -1);
      break;
    case Event::market_sell:
      change(Side::bid, best_bid_, -1);
      break;
    case Event::cancel_bid:
      change(Side::bid, pick_cancel(Side::bid, target), -1);
      break;
    case Event::cancel_ask:
      change(Side::ask, pick_cancel(Side::ask, target), -1);
      break;
  }
  recentre();
  return -std::log(open_unit(random[2], random[3])) / total;
}

void ZeroIntelligenceBook::recentre() {
  const int32_t low = std::min(best_bid_, best_ask_ - reach_), high = std::max(best_ask_, best_bid_ + reach_);
  // The outermost levels empty in time; their bounds are drawn in only when a scan would grow long.
  while (bid_orders_ && low_bid_ < best_bid_ && bids_[cell(low_bid_)] == 0) ++low_bid_;
  while (ask_orders_ && high_ask_ > best_ask_ && asks_[cell(high_ask_)] == 0) --high_ask_;
  if (low - origin_ > kMargin && origin_ + kCells - high > kMargin) return;
  const int32_t middle = best_bid_ + (best_ask_ - best_bid_) / 2;
  require(high - low < kCells - 2 * kMargin - 2, "the spread has grown beyond the book's range");
  require(middle > -kMaxTicks + kCells && middle < kMaxTicks - kCells,
          "the price has left the range of the format");
  const int32_t origin = middle - kCells / 2;
  std::vector<uint32_t> bids(kCells), asks(kCells);
  for (int32_t p = std::max(origin, origin_); p < std::min(origin, origin_) + kCells; ++p) {
    bids[static_cast<size_t>(p - origin)] = bids_[cell(p)];
    asks[static_cast<size_t>(p - origin)] = asks_[cell(p)];
  }
  bids_ = std::move(bids);
  asks_ = std::move(asks);
  origin_ = origin;
  // Orders so far away that they fell off the cells are withdrawn.
  bid_orders_ = ask_orders_ = 0;
  for (const uint32_t n : bids_) bid_orders_ += n;
  for (const uint32_t n : asks_) ask_orders_ += n;
  low_bid_ = std::clamp(low_bid_, origin_, best_bid_);
  high_ask_ = std::clamp(high_ask_, best_ask_, origin_ + kCells - 1);
}

void ZeroIntelligenceBook::top(BookTop& out) const {
  out.clear();
  const auto put = [](size_t& l, std::vector<int32_t>& px, std::vector<uint32_t>& sz, int32_t price,
                      uint32_t size) {
    if (size == 0) return;
    px[l] = price;
    sz[l++] = size;
  };
  size_t l = 0;
  if (!empty(Side::bid))
    for (int32_t p = best_bid_; p >= low_bid_ && l < out.bid_px.size(); --p)
      put(l, out.bid_px, out.bid_sz, p, bids_[cell(p)]);
  l = 0;
  if (!empty(Side::ask))
    for (int32_t p = best_ask_; p <= high_ask_ && l < out.ask_px.size(); ++p)
      put(l, out.ask_px, out.ask_sz, p, asks_[cell(p)]);
}

}  // namespace foxhunt::market
