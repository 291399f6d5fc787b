#include <gtest/gtest.h>

#include "market/market.hpp"
#include "market/order_book.hpp"

namespace foxhunt::market::test {
namespace {

using Pairs = std::vector<std::pair<int32_t, uint32_t>>;

Pairs side(const OrderBook& book, Side which, int levels = 3) {
  BookTop top(levels);
  book.top(top);
  Pairs p;
  for (size_t l = 0; l < static_cast<size_t>(levels); ++l) {
    const auto price = which == Side::bid ? top.bid_px[l] : top.ask_px[l];
    const auto size = which == Side::bid ? top.bid_sz[l] : top.ask_sz[l];
    if (price == kNoPrice)
      EXPECT_EQ(size, 0u);
    else
      p.emplace_back(price, size);
  }
  return p;
}

TEST(OrderBook, LevelsAreSortedAndSummed) {
  OrderBook b;
  b.add(1, Side::bid, 100, 5);
  b.add(2, Side::bid, 101, 2);
  b.add(3, Side::bid, 100, 3);
  b.add(4, Side::bid, -7, 1);
  b.add(5, Side::bid, -9, 1);
  b.add(6, Side::ask, 103, 4);
  b.add(7, Side::ask, 102, 9);
  EXPECT_EQ(side(b, Side::bid), (Pairs{{101, 2}, {100, 8}, {-7, 1}}));
  EXPECT_EQ(side(b, Side::ask), (Pairs{{102, 9}, {103, 4}}));
  EXPECT_EQ(b.orders(), 7u);
}

TEST(OrderBook, CancelsInPartAndWhole) {
  OrderBook b;
  b.add(1, Side::ask, 10, 5);
  b.cancel(1, 2);
  EXPECT_EQ(side(b, Side::ask), (Pairs{{10, 3}}));
  b.cancel(1, 3);
  EXPECT_EQ(side(b, Side::ask), Pairs{});
  EXPECT_EQ(b.orders(), 0u);
  EXPECT_EQ(b.faults().oversize_cancels, 0);
}

TEST(OrderBook, ModifiesPriceSizeAndSide) {
  OrderBook b;
  b.add(1, Side::bid, 10, 5);
  b.modify(1, Side::bid, 9, 7);
  EXPECT_EQ(side(b, Side::bid), (Pairs{{9, 7}}));
  b.modify(1, Side::ask, 12, 1);
  EXPECT_EQ(side(b, Side::bid), Pairs{});
  EXPECT_EQ(side(b, Side::ask), (Pairs{{12, 1}}));
  b.modify(1, Side::ask, 12, 0);
  EXPECT_EQ(b.orders(), 0u);
  EXPECT_EQ(b.faults().unknown_orders, 0);
  EXPECT_EQ(b.faults().duplicate_orders, 0);
}

TEST(OrderBook, FaultsAreCountedAndHarmless) {
  OrderBook b;
  b.cancel(9, 1);
  b.modify(8, Side::bid, 5, 2);
  EXPECT_EQ(b.faults().unknown_orders, 2);
  EXPECT_EQ(side(b, Side::bid), (Pairs{{5, 2}}));
  b.add(8, Side::bid, 6, 4);
  EXPECT_EQ(b.faults().duplicate_orders, 1);
  EXPECT_EQ(side(b, Side::bid), (Pairs{{6, 4}}));
  b.cancel(8, 100);
  EXPECT_EQ(b.faults().oversize_cancels, 1);
  EXPECT_EQ(b.orders(), 0u);
}

TEST(OrderBook, Clears) {
  OrderBook b;
  b.add(1, Side::bid, 10, 5);
  b.add(2, Side::ask, 11, 5);
  b.clear(Side::bid);
  EXPECT_EQ(side(b, Side::bid), Pairs{});
  EXPECT_EQ(b.orders(), 1u);
  b.cancel(2, 5);
  EXPECT_EQ(b.faults().unknown_orders, 0);
  b.add(3, Side::ask, 11, 5);
  b.clear();
  EXPECT_EQ(b.orders(), 0u);
  EXPECT_EQ(side(b, Side::ask), Pairs{});
}

}  // namespace
}  // namespace foxhunt::market::test
