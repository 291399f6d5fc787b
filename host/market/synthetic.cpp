#include "market/synthetic.hpp"

#include <cmath>
#include <foxhunt/error.hpp>

#include "market/row_builder.hpp"

namespace foxhunt::market {
namespace {

constexpr int64_t kStart = 1'577'836'800'000'000'000;  // 2020-01-01 00:00 UTC

void check(const SyntheticOptions& o) {
  const auto require = [](bool ok, const char* what) {
    if (!ok) throw Error(std::string("synthetic market: ") + what);
  };
  require(o.rows >= 1 && o.rows <= int64_t{1} << 40, "the number of rows makes no market");
  require(o.levels >= 1 && o.levels <= kMaxLevels, "levels must lie between 1 and 64");
  require(o.order_lots >= 1 && o.order_lots <= 1'000'000, "order_lots must lie between 1 and 1,000,000");
  require(o.warm_up_events >= 0, "warm_up_events must not be negative");
  require(std::isfinite(o.tick_size) && o.tick_size > 0, "tick_size must be positive");
  require(std::isfinite(o.multiplier) && o.multiplier > 0, "multiplier must be positive");
}

/// The model has no empty sides: it starts from one order at every distance.
ZeroIntelligenceBook seeded(const SyntheticOptions& o) {
  ZeroIntelligenceBook book(o.rates, o.first_bid);
  for (int32_t i = 0; i < o.rates.reach; ++i) {
    book.set(Side::bid, o.first_bid - i, 1);
    book.set(Side::ask, o.first_bid + 1 + i, 1);
  }
  return book;
}

void describe_model(Market& m, const SyntheticOptions& o) {
  m.attributes = {
      {"synthetic.market_rate", o.rates.market},       {"synthetic.limit_scale", o.rates.limit_scale},
      {"synthetic.limit_power", o.rates.limit_power},  {"synthetic.reach", int64_t{o.rates.reach}},
      {"synthetic.order_lots", int64_t{o.order_lots}}, {"synthetic.warm_up_events", o.warm_up_events},
      {"synthetic.seed", std::to_string(o.seed)}};
  for (size_t i = 0; i < o.rates.limit.size(); ++i)
    m.attributes["synthetic.limit_rate_" + std::to_string(i + 1)] = o.rates.limit[i];
  for (size_t i = 0; i < o.rates.cancel.size(); ++i)
    m.attributes["synthetic.cancel_rate_" + std::to_string(i + 1)] = o.rates.cancel[i];
}

}  // namespace

Market generate_synthetic(const SyntheticOptions& o) {
  check(o);
  ZeroIntelligenceBook book = seeded(o);
  Market m;
  m.instrument = {"SYNTHETIC", o.tick_size, o.multiplier, "USD"};
  m.source = "synthetic";
  RowBuilder rows(m, o.levels);
  BookTop top(o.levels);
  const Philox random(o.seed, "synthetic");
  double minutes = 0;
  for (uint64_t n = 0; m.rows() < o.rows; ++n) {
    ZeroIntelligenceBook::Event event;
    minutes += book.step(random(n), event);
    if (n < static_cast<uint64_t>(o.warm_up_events)) {
      minutes = 0;
      continue;
    }
    if (event == ZeroIntelligenceBook::Event::market_buy) rows.trade('B', o.order_lots);
    if (event == ZeroIntelligenceBook::Event::market_sell) rows.trade('A', o.order_lots);
    book.top(top);
    for (auto* sizes : {&top.bid_sz, &top.ask_sz})
      for (uint32_t& s : *sizes) s *= o.order_lots;
    const int64_t ts = kStart + std::llround(minutes * 60e9);
    rows.end_event(ts, ts, top, 0);
  }
  describe_model(m, o);
  return m;
}

}  // namespace foxhunt::market
