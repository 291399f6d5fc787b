#include "dbn_bytes.hpp"
#include "market/dbn_reader.hpp"

namespace foxhunt::market::test {
namespace {

const std::vector<Name> kEs = {{"ESH4", 7}};

struct Imported {
  Market market;
  QualityReport report;
};

Imported import(const Bytes& records, uint16_t schema = 0, const ImportOptions& options = es_options(),
                const std::vector<Name>& names = kEs) {
  const Scratch s;
  Imported i;
  i.market = import_dbn(s.file("x.dbn", dbn_head(2, schema, names) + records), options, i.report);
  return i;
}

TEST(Import, BuildsTheBookFromOrders) {
  const auto [m, q] = import(mbo({'A', 'B', 1, px(100), 5}) + mbo({'A', 'A', 2, px(100.5), 4}) +
                             mbo({'M', 'B', 1, px(100.25), 3}) + mbo({'C', 'A', 2, px(100.5), 1}) +
                             mbo({'C', 'A', 2, px(100.5), 3}));
  ASSERT_EQ(m.rows(), 5);
  EXPECT_EQ(m.instrument.symbol, "ESH4");
  EXPECT_EQ(m.levels, 10);
  EXPECT_EQ(m.best_bid(0), 400);
  EXPECT_EQ(m.flags[0], kOneSided);
  EXPECT_EQ(m.spread(1), 2);
  EXPECT_EQ(m.spread(2), 1);
  EXPECT_EQ(m.bid_sz[20], 3u);
  EXPECT_EQ(m.ask_sz[30], 3u);
  EXPECT_EQ(m.best_ask(4), kNoPrice);
  EXPECT_EQ(m.ts[0], 1'000'000'100);
  EXPECT_EQ(m.ts_event[0], 1'000'000'000);
  EXPECT_EQ(q.rows, 5);
  EXPECT_EQ(q.one_sided, 2);
  EXPECT_EQ(q.counts.records, 5);
}

TEST(Import, SamplesAtTheLastRecordOfAnEvent) {
  const auto [m, q] = import(mbo({'A', 'B', 1, px(100), 5, 0}) + mbo({'A', 'A', 2, px(101), 5, 0}) +
                             mbo({'A', 'A', 3, px(100.5), 1, 128}) + mbo({'A', 'A', 4, px(100.25), 1, 0}));
  ASSERT_EQ(m.rows(), 1);
  EXPECT_EQ(m.spread(0), 2);
  EXPECT_EQ(q.counts.unfinished_records, 1);
}

TEST(Import, TradesAndFillsNeverChangeTheBook) {
  const Bytes book = mbo({'A', 'B', 1, px(100), 5}) + mbo({'A', 'A', 2, px(100.25), 4});
  const Bytes fill = mbo({'T', 'B', 9, px(100.25), 3, 0}) + mbo({'F', 'A', 2, px(100.25), 3, 0}) +
                     mbo({'N', 'N', 2, px(100.25), 3, 0});
  const auto [m, q] =
      import(book + fill + mbo({'T', 'A', 9, px(100.25), 2, 128}) + mbo({'T', 'N', 9, px(100.25), 7, 0}) +
             mbo({'C', 'A', 2, px(100.25), 3}) + mbo({'T', 'B', 9, px(100.25), 1, 0}));
  ASSERT_EQ(m.rows(), 3);
  EXPECT_EQ(m.ask_sz[20], 1u);
  EXPECT_EQ(m.buy_volume[2], 3u);
  EXPECT_EQ(m.sell_volume[2], 2u);
  EXPECT_EQ(m.unsided_volume[2], 7u);
  EXPECT_EQ(q.counts.unchanged_events, 1);
  EXPECT_EQ(q.counts.unfinished_volume, 1);
}

TEST(Import, SnapshotIsOneRowHoweverItEnds) {
  for (const uint8_t last : {uint8_t{40}, uint8_t{168}}) {
    const auto [m, q] = import(mbo({'R', 'N', 0, INT64_MAX, 0, 40}) + mbo({'A', 'B', 1, px(100), 5, 40}) +
                               mbo({'A', 'A', 2, px(101), 5, last}) + mbo({'A', 'B', 3, px(100.25), 1}));
    ASSERT_EQ(m.rows(), 2) << int{last};
    EXPECT_EQ(m.flags[0], kSnapshot);
    EXPECT_EQ(m.flags[1], 0);
    EXPECT_EQ(q.counts.snapshot_records, 3);
    EXPECT_EQ(q.counts.doubtful_receipts, 3);
  }
}

TEST(Import, ClearAndTopOfBookRecords) {
  const Bytes book =
      mbo({'A', 'B', 1, px(100), 5}) + mbo({'A', 'B', 2, px(99), 5}) + mbo({'A', 'A', 3, px(101), 4});
  const auto cleared = import(book + mbo({'R', 'N', 0, INT64_MAX, 0}) + mbo({'A', 'A', 3, px(102), 4}));
  EXPECT_EQ(cleared.market.flags[3], kEmpty);
  EXPECT_EQ(cleared.report.counts.duplicate_orders, 0);
  const auto replaced =
      import(book + mbo({'A', 'B', 0, px(99.5), 8, 128 | 64}) + mbo({'A', 'B', 0, INT64_MAX, 0, 128 | 64}));
  ASSERT_EQ(replaced.market.rows(), 5);
  EXPECT_EQ(replaced.market.best_bid(3), 398);
  EXPECT_EQ(replaced.market.bid_px[31], kNoPrice);  // the whole side was replaced
  EXPECT_EQ(replaced.market.best_bid(4), kNoPrice);
}

TEST(Import, DoubtfulBooksAndHaltsCannotBeTraded) {
  const Bytes book = mbo({'A', 'B', 1, px(100), 5}) + mbo({'A', 'A', 2, px(101), 4});
  const auto [m, q] = import(book + mbo({'A', 'B', 3, px(99), 1, 128 | 4}) + mbo({'A', 'B', 4, px(98), 1}) +
                                 status(7, 8, '~') + mbo({'A', 'B', 5, px(97), 1}) + status(7, 7, 'Y') +
                                 mbo({'A', 'B', 6, px(96), 1}),
                             kSchemaMixed);
  ASSERT_EQ(m.rows(), 6);
  EXPECT_EQ(m.flags, (std::vector<uint8_t>{kOneSided, 0, kDoubtful, 0, kHalted, 0}));
  EXPECT_FALSE(m.is_tradable(2));
  EXPECT_FALSE(m.is_tradable(4));
  EXPECT_EQ(q.counts.doubtful_books, 1);
}

TEST(Import, MbpLevelsAndAbsentOnes) {
  std::vector<Level> levels(10);
  levels[0] = {px(100), px(100.25), 5, 4};
  levels[1] = {px(99.75), px(101), 6, 0};  // size 0: no level
  levels[2] = {px(99.5), px(102), 7, 9};
  const auto [m, q] =
      import(mbp(levels, {'A', 'B', 0, px(100), 5}) + mbp(levels, {'T', 'A', 0, px(100), 2}), kSchemaMbp10);
  ASSERT_EQ(m.rows(), 1);
  EXPECT_EQ(m.bid_px[2], 398);
  EXPECT_EQ(m.ask_px[1], 408);
  EXPECT_EQ(m.ask_sz[1], 9u);
  EXPECT_EQ(m.ask_px[2], kNoPrice);
  EXPECT_EQ(q.counts.unfinished_volume, 2);
  const auto one = import(mbp({{px(100), px(100.25), 5, 4}}, {}), kSchemaMbp1);
  EXPECT_EQ(one.market.levels, 1);
  std::swap(levels[0], levels[2]);
  EXPECT_TRUE(contains(error_of([&] { import(mbp(levels, {}), kSchemaMbp10); }), "not ordered"));
}

TEST(Import, VendorVectors) {
  FOXHUNT_DATA(definition, "definition-glbx-es-fut.dbn.zst");
  const auto all_versions = [&](const std::string& schema) {
    Imported first;
    for (int version = 1; version <= 3; ++version) {
      ImportOptions options;
      options.definition = definition;
      Imported i;
      i.market = import_dbn(data_file("test_data." + schema + ".v" + std::to_string(version) + ".dbn.zst"),
                            options, i.report);
      EXPECT_EQ(i.market.instrument.symbol, "ESH1");
      EXPECT_EQ(i.market.instrument.tick_size, 0.25);
      EXPECT_EQ(i.market.instrument.multiplier, 50);
      EXPECT_TRUE(contains(i.report.notes.at(0), "ESM3"));
      if (version == 1) first = i;
      EXPECT_EQ(i.market.bid_px, first.market.bid_px);
      EXPECT_EQ(i.market.ask_sz, first.market.ask_sz);
      EXPECT_EQ(i.market.ts, first.market.ts);
    }
    return first;
  };
  // Two cancels of orders that are older than the file: nothing is in the book.
  const auto [orders, q] = all_versions("mbo");
  EXPECT_EQ(orders.flags, std::vector<uint8_t>{kEmpty});
  EXPECT_EQ(q.counts.unknown_orders, 2);

  const Market one = all_versions("mbp-1").market;
  EXPECT_EQ(one.ask_sz, (std::vector<uint32_t>{11, 12}));
  EXPECT_EQ(one.best_bid(0), 14881);  // 3720.25

  const Market ten = all_versions("mbp-10").market;
  ASSERT_EQ(ten.rows(), 2);
  EXPECT_EQ(ten.best_bid(0), 14881);
  EXPECT_EQ(ten.spread(0), 1);
  EXPECT_EQ(ten.bid_sz[0], 24u);
  EXPECT_EQ(ten.bid_sz[1], 31u);
  EXPECT_EQ(ten.bid_sz[11], 30u);
  EXPECT_EQ(ten.ask_px[9], 14891);
}

TEST(Import, QuietBooksStayInTheirSession) {
  // An hour without a change among the levels kept, but with orders behind them.
  Bytes records = mbo({'A', 'B', 1, px(100), 1});
  const auto at = [](uint64_t minutes) { return 1'000'000'000 + minutes * 60'000'000'000; };
  for (uint64_t k = 1; k < 70; ++k)
    records += mbo({'A', 'B', 100 + k, px(50 - 0.25 * static_cast<double>(k)), 1, 128, at(k), at(k)});
  records += mbo({'A', 'B', 2, px(101), 1, 128, at(71), at(71)}) +
             mbo({'A', 'B', 3, px(102), 1, 128, at(200), at(200)});
  ImportOptions options = es_options();
  options.levels = 1;
  EXPECT_EQ(import(records, 0, options).market.session, (std::vector<int32_t>{0, 0, 1}));
}

TEST(Import, SchemasWithoutABookAreExplained) {
  const auto why = [](uint16_t schema) { return error_of([&] { import(mbo({}), schema); }); };
  EXPECT_TRUE(contains(why(kSchemaTrades), "trades alone do not show the order book"));
  EXPECT_TRUE(contains(why(kSchemaTbbo), "only before each trade"));
  EXPECT_TRUE(contains(why(kSchemaDefinition), "beside a book"));
  EXPECT_TRUE(contains(why(5), "ohlcv-1s"));
  EXPECT_TRUE(contains(why(777), "schema number 777"));
}

TEST(Import, ChoosesAmongInstruments) {
  const std::vector<Name> names = {{"ESH4", 7}, {"NQH4", 8}, {"CLH4", 9}, {"ROLL", 7}, {"ROLL", 8}};
  const Bytes records = mbo({'A', 'B', 1, px(100), 5}) +
                        mbo({.side = 'A', .id = 1, .price = px(200), .instrument = 8}) +
                        mbo({'A', 'A', 2, px(101), 5});
  const auto with = [&](const std::string& name) {
    ImportOptions o = es_options();
    o.instrument = name;
    return import(records, 0, o, names);
  };
  EXPECT_EQ(with("ESH4").market.rows(), 2);
  EXPECT_EQ(with("ESH4").report.counts.other_instruments, 1);
  EXPECT_EQ(with("8").market.instrument.symbol, "NQH4");
  const std::string several = error_of([&] { with(""); });
  EXPECT_TRUE(contains(several, "ESH4 (7), NQH4 (8)"));
  EXPECT_TRUE(contains(several, "--instrument"));
  EXPECT_TRUE(contains(error_of([&] { with("GCH4"); }), "no instrument GCH4; it names ESH4 (7)"));
  EXPECT_TRUE(contains(error_of([&] { with("CLH4"); }), "no book records of instrument CLH4"));
  EXPECT_TRUE(contains(error_of([&] { with("ROLL"); }), "several numbers"));
}

TEST(Import, TheTickIsNeverGuessed) {
  const Bytes book = mbo({'A', 'B', 1, px(100), 5}) + mbo({'A', 'A', 2, px(100.3), 4}) +
                     mbo({'A', 'B', 3, px(99.9), 1}) + mbo({'A', 'B', 4, px(-0.1), 1}) +
                     mbo({'A', 'A', 5, px(-0.1), 1});
  ImportOptions o = es_options();
  o.tick_size = 0;
  EXPECT_TRUE(contains(error_of([&] { import(book, 0, o); }), "give a definition file"));
  o = es_options();
  o.multiplier = -1;
  EXPECT_TRUE(contains(error_of([&] { import(book, 0, o); }), "multiplier"));
  o = es_options();
  EXPECT_TRUE(contains(error_of([&] { import(book, 0, o); }),
                       "100.300000000 is not a multiple of the tick size 0.25"));
  o.round_off_tick = true;
  const auto [m, q] = import(book, 0, o);
  EXPECT_EQ(q.counts.off_tick, 4);
  EXPECT_EQ(m.best_ask(1), 402);  // up: no better than it was
  EXPECT_EQ(m.bid_px[21], 399);   // down
  EXPECT_EQ(m.bid_px[32], -1);    // below zero, too
  EXPECT_EQ(m.best_ask(4), 0);
}

TEST(Import, ClocksAreCountedAndNeverReordered) {
  const auto at = [](uint64_t event, uint64_t receipt, double price) {
    return mbo({.id = event, .price = px(price), .ts_event = event, .ts_recv = receipt});
  };
  const auto [m, q] = import(at(100, 110, 1) + at(90, 120, 2) + at(130, 125, 3) + at(140, 115, 4) +
                             at(150, UINT64_MAX, 5) + at(UINT64_MAX, 160, 6));
  EXPECT_EQ(m.ts, (std::vector<int64_t>{110, 120, 125, 115, 150, 160}));
  EXPECT_EQ(m.ts_event, (std::vector<int64_t>{100, 90, 130, 140, 150, 160}));
  EXPECT_EQ(q.counts.event_reversals, 1);
  EXPECT_EQ(q.counts.receive_reversals, 1);
  EXPECT_EQ(q.counts.negative_latency, 2);
  EXPECT_EQ(q.row_clock_reversals, 1);
  EXPECT_TRUE(contains(error_of([&] { import(at(UINT64_MAX, UINT64_MAX, 1)); }), "without any time"));
}

TEST(Import, NothingToImport) {
  EXPECT_TRUE(contains(error_of([] { import(""); }), "no complete event"));
  EXPECT_TRUE(
      contains(error_of([] { import(mbo({.price = px(1), .flags = 0})); }), "none carries the LAST flag"));
  ImportOptions o = es_options();
  o.levels = 0;
  EXPECT_TRUE(contains(error_of([&] { import(mbo({}), 0, o); }), "levels = 0"));
}

TEST(Import, AMissingSnapshotIsNoted) {
  const auto [m, q] = import(mbo({'A', 'B', 1, px(100), 5}) + mbo({'C', 'B', 99, px(100), 5}));
  EXPECT_EQ(q.counts.unknown_orders, 1);
  ASSERT_EQ(q.notes.size(), 1u);
  EXPECT_TRUE(contains(q.notes[0], "snapshot"));
  EXPECT_TRUE(contains(to_text(q), "orders never added 1"));
}

}  // namespace
}  // namespace foxhunt::market::test
