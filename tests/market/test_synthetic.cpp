#include <cmath>

#include "dbn_bytes.hpp"
#include "market/quality.hpp"
#include "market/synthetic.hpp"

namespace foxhunt::market::test {
namespace {

/// P(next mid move is up) at a spread of one tick, by bid queue (row) and ask queue (column): Cont, Stoikov
/// and Talreja 2010, from the Laplace transforms of the queues' first passage times.
constexpr double kUp[5][5] = {{.500, .336, .259, .216, .188},
                              {.664, .500, .407, .348, .307},
                              {.741, .593, .500, .437, .391},
                              {.784, .652, .563, .500, .452},
                              {.812, .693, .609, .548, .500}};

TEST(ZeroIntelligence, NextMoveByQueueSizes) {
  constexpr int kRuns = 8'000;
  const Philox random(3, "next move");
  uint64_t draws = 0;
  for (uint32_t bid = 1; bid <= 5; ++bid) {
    for (uint32_t ask = 1; ask <= 5; ++ask) {
      int ups = 0;
      for (int run = 0; run < kRuns; ++run) {
        // What lies behind the best quotes has no say in the first move.
        ZeroIntelligenceRates rates;
        rates.reach = 5;
        ZeroIntelligenceBook book(rates, 100);
        book.set(Side::bid, 100, bid);
        book.set(Side::bid, 99, 1);
        book.set(Side::ask, 101, ask);
        book.set(Side::ask, 102, 1);
        ZeroIntelligenceBook::Event event;
        while (book.best_bid() == 100 && book.best_ask() == 101 && !book.empty(Side::bid) &&
               !book.empty(Side::ask))
          book.step(random(draws++), event);
        ups += book.best_ask() != 101 || book.empty(Side::ask);
      }
      // Four standard errors and the table's own rounding.
      EXPECT_NEAR(static_cast<double>(ups) / kRuns, kUp[bid - 1][ask - 1], 4 * 0.5 / std::sqrt(kRuns) + 0.001)
          << bid << " " << ask;
    }
  }
}

TEST(ZeroIntelligence, TimesAreExponentialOfTheTotalRate) {
  // At a fresh book the rates are known: two sides of limit orders, two of market orders, two cancellable
  // orders.
  const ZeroIntelligenceRates rates;
  double total = 2 * (rates.market + rates.cancel[0]);
  for (int i = 1; i <= rates.reach; ++i)
    total += 2 * (i <= 5 ? rates.limit[static_cast<size_t>(i - 1)]
                         : rates.limit_scale / std::pow(i, rates.limit_power));
  const Philox random(4, "times");
  double sum = 0;
  int first[6] = {};
  constexpr int kRuns = 2'000;
  ZeroIntelligenceBook fresh(rates, 100);
  fresh.set(Side::bid, 100, 1);
  fresh.set(Side::ask, 101, 1);
  for (uint64_t run = 0; run < kRuns; ++run) {
    ZeroIntelligenceBook book = fresh;
    ZeroIntelligenceBook::Event event;
    sum += book.step(random(run), event);
    ++first[static_cast<int>(event)];
  }
  EXPECT_NEAR(sum / kRuns * total, 1, 4 / std::sqrt(kRuns));
  const double market = rates.market / total, sd = std::sqrt(market / kRuns);
  EXPECT_NEAR(first[2] / double{kRuns}, market, 4 * sd);
  EXPECT_NEAR(first[3] / double{kRuns}, market, 4 * sd);
}

TEST(ZeroIntelligence, WandersWithoutEnd) {
  ZeroIntelligenceRates rates;
  rates.reach = 3;
  ZeroIntelligenceBook book(rates, 0);
  ZeroIntelligenceBook::Event event;
  const Philox random(5, "wander");
  BookTop top(64);
  for (uint64_t n = 0; n < 300'000; ++n) {
    book.step(random(n), event);
    ASSERT_TRUE(book.empty(Side::bid) || book.empty(Side::ask) || book.best_bid() < book.best_ask());
    if (n % 1000 == 0) {
      book.top(top);
      ASSERT_EQ(top.bid_px[0] == kNoPrice, book.empty(Side::bid));
    }
  }
}

TEST(Synthetic, IsAnOrdinaryMarketWithPredictiveQueues) {
  SyntheticOptions o;
  o.rows = 150'000;
  const Market m = generate_synthetic(o);
  validate(m, "synthetic");
  ASSERT_EQ(m.rows(), o.rows);
  QualityReport q;
  assess(m, q);
  EXPECT_EQ(q.crossed + q.locked, 0);
  EXPECT_EQ(q.row_clock_reversals, 0);
  EXPECT_GT(q.buy_volume, 0);
  EXPECT_GT(q.spread_share[1], 0.2);
  int64_t visits[3][3] = {}, ups[3][3] = {};
  std::vector<std::pair<uint32_t, uint32_t>> waiting;
  for (int64_t r = 1; r < m.rows(); ++r) {
    if (!m.two_sided(r) || !m.two_sided(r - 1)) {
      waiting.clear();
      continue;
    }
    const int64_t move = int64_t{m.best_bid(r)} + m.best_ask(r) - m.best_bid(r - 1) - m.best_ask(r - 1);
    if (move != 0) {
      for (const auto& [b, a] : waiting) {
        ++visits[b - 1][a - 1];
        ups[b - 1][a - 1] += move > 0;
      }
      waiting.clear();
    }
    const uint32_t b = m.bid_sz[static_cast<size_t>(r * m.levels)],
                   a = m.ask_sz[static_cast<size_t>(r * m.levels)];
    if (m.spread(r) == 1 && b <= 3 && a <= 3) waiting.emplace_back(b, a);
  }
  for (int b = 0; b < 3; ++b)
    for (int a = 0; a < 3; ++a) {
      ASSERT_GT(visits[b][a], 1000);
      // Rows that wait for the same move are not independent: count them as a tenth.
      EXPECT_NEAR(static_cast<double>(ups[b][a]) / static_cast<double>(visits[b][a]), kUp[b][a],
                  4 * 0.5 / std::sqrt(static_cast<double>(visits[b][a]) / 10))
          << b + 1 << " " << a + 1;
    }
}

TEST(Synthetic, SameSeedSameMarket) {
  SyntheticOptions o;
  o.rows = 2'000;
  o.order_lots = 3;
  const Market a = generate_synthetic(o), b = generate_synthetic(o);
  EXPECT_EQ(a.bid_px, b.bid_px);
  EXPECT_EQ(a.ts, b.ts);
  for (const uint32_t size : a.bid_sz) EXPECT_EQ(size % 3, 0u);
  o.seed = 2;
  EXPECT_NE(generate_synthetic(o).ts, a.ts);
}

TEST(Synthetic, ImpossibleOptionsAreRefused) {
  const auto why = [](auto change) {
    SyntheticOptions o;
    o.rows = 10;
    change(o);
    return error_of([&] { generate_synthetic(o); });
  };
  EXPECT_TRUE(contains(why([](auto& o) { o.rows = 0; }), "rows"));
  EXPECT_TRUE(contains(why([](auto& o) { o.rates.market = 0; }), "market orders"));
  EXPECT_TRUE(contains(why([](auto& o) { o.rates.limit[1] = std::nan(""); }), "limit orders"));
  EXPECT_TRUE(contains(why([](auto& o) { o.rates.cancel.clear(); }), "cancellation"));
  EXPECT_TRUE(contains(why([](auto& o) { o.rates.reach = 0; }), "reach"));
  EXPECT_TRUE(contains(why([](auto& o) { o.levels = 65; }), "levels"));
}

}  // namespace
}  // namespace foxhunt::market::test
