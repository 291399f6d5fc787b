#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace foxhunt::market {

enum class Side : uint8_t { bid, ask };

/// The best levels of both sides; absent levels are kNoPrice with size 0.
struct BookTop {
  explicit BookTop(int levels);
  std::vector<int32_t> bid_px, ask_px;
  std::vector<uint32_t> bid_sz, ask_sz;
  void clear();
  bool operator==(const BookTop&) const = default;
};

/// The book of one instrument from its single orders. Prices in ticks. Nothing a feed sends breaks it: what
/// does not fit (a cancel of an order that was never added) is counted, and the rest of the message is
/// applied.
class OrderBook {
 public:
  struct Faults {
    int64_t unknown_orders = 0, duplicate_orders = 0, oversize_cancels = 0;
  };

  void add(uint64_t id, Side side, int32_t price, uint32_t size);
  /// Takes `size` off the order, which leaves the book when nothing remains.
  void cancel(uint64_t id, uint32_t size);
  /// Sets price and size. An unknown order is added, as the feed's own documentation asks.
  void modify(uint64_t id, Side side, int32_t price, uint32_t size);
  void clear();
  void clear(Side side);

  /// Throws foxhunt::Error if a level's size does not fit its column.
  void top(BookTop& out) const;
  size_t orders() const { return orders_.size(); }
  const Faults& faults() const { return faults_; }

 private:
  struct Order {
    int32_t price;
    uint32_t size;
    Side side;
  };
  using Levels = std::map<int32_t, uint64_t>;  // keyed so that the best price comes first
  static int32_t key(Side side, int32_t price) { return side == Side::bid ? -price : price; }
  Levels& levels(Side side) { return side == Side::bid ? bids_ : asks_; }
  void take(Side side, int32_t price, uint32_t size);

  std::unordered_map<uint64_t, Order> orders_;
  Levels bids_, asks_;
  Faults faults_;
};

}  // namespace foxhunt::market
