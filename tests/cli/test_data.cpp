#include "market/dbn_bytes.hpp"
#include "market/market_file.hpp"
#include "support.hpp"

namespace foxhunt::test {
namespace {

namespace mt = market::test;

/// A book of one bid and one ask that moves up by a tick, `seconds` after 1970.
std::string small_dbn(int64_t seconds, const std::string& symbol = "ESH4") {
  const auto at = [&](int64_t n) { return static_cast<uint64_t>((seconds * 10 + n) * 100'000'000); };
  std::string bytes = mt::dbn_head(1, 0, {{symbol, 7}});
  for (int i = 0; i < 8; ++i) {
    bytes += mt::mbo({.side = 'B', .id = static_cast<uint64_t>(2 * i + 1), .price = mt::px(100 + 0.25 * i), .flags = 0, .ts_event = at(i), .ts_recv = at(i) + 1});
    bytes += mt::mbo({.side = 'A', .id = static_cast<uint64_t>(2 * i + 2), .price = mt::px(103), .flags = 128, .ts_event = at(i), .ts_recv = at(i) + 2});
  }
  return bytes;
}

const Arguments kTerms{"--tick", "0.25", "--multiplier", "50", "--session", "none"};

Arguments with(Arguments a, const Arguments& more) {
  a.insert(a.end(), more.begin(), more.end());
  return a;
}

TEST(CliData, AGeneratedMarketCanBeDescribedAndTrainedOn) {
  const Scratch s;
  for (const char* source : {"planted", "synthetic"}) {
    const std::string file = std::string(source) + ".h5";
    const Outcome made = foxhunt({"generate", source, "-o", file, "--rows", "4096", "--seed", "5"}, s.folder());
    ASSERT_EQ(made.code, 0) << shown(made);
    EXPECT_TRUE(contains(made.out, "wrote " + file + ": 4096 rows x 10 levels"));
    const Outcome told = foxhunt({"market", file}, s.folder());
    ASSERT_EQ(told.code, 0) << shown(told);
    EXPECT_TRUE(made.out.starts_with(told.out)) << "the description of the file is that of the market";
    EXPECT_TRUE(contains(told.out, "rows         4,096 over"));
  }
  // The file is the market that training embeds under the same settings.
  const Arguments small{"--trainer.device", "cpu", "--trainer.iterations", "1", "--trainer.accounts", "8", "--replay.start", "64", "--replay.capacity", "512"};
  ASSERT_EQ(foxhunt(with({"train", "--run", "a", "--env.source", "file", "--env.path", "planted.h5"}, small), s.folder()).code, 0);
  ASSERT_EQ(foxhunt(with({"train", "--run", "b", "--env.rows", "4096", "--env.seed", "5"}, small), s.folder()).code, 0);
  const Outcome same = foxhunt({"diff", "a", "b", "--ignore", "/meta@config"}, s.folder());
  EXPECT_EQ(same.code, 0) << shown(same);
}

TEST(CliData, GenerateTakesTheSettingsOfTheMarket) {
  const Scratch s;
  ASSERT_EQ(foxhunt({"generate", "planted", "-o", "m.h5", "--rows", "512", "--env.depth", "2", "--env.hidden", "true"}, s.folder()).code, 0);
  const market::Market m = market::read_market((s / "m.h5").string());
  EXPECT_EQ(std::get<int64_t>(m.attributes.at("planted.near_lots")), 2);
  EXPECT_EQ(std::get<int64_t>(m.attributes.at("planted.hidden")), 1);
}

TEST(CliData, ImportReportsAndWrites) {
  const Scratch s;
  write(s / "day.dbn", small_dbn(1));
  const Outcome o = foxhunt(with({"import", "dbn", "day.dbn", "-o", "day.h5", "--levels", "3"}, kTerms), s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.out, "instrument   ESH4, tick 0.25, 50 USD a point"));
  EXPECT_TRUE(contains(o.out, "records      16 "));
  EXPECT_TRUE(contains(o.out, "faults       none"));
  EXPECT_TRUE(contains(o.out, "wrote day.h5: 8 rows x 3 levels"));
  EXPECT_EQ(market::read_market((s / "day.h5").string()).best_bid(7), 407);
}

TEST(CliData, FilesAreJoinedInTheOrderOfTime) {
  const Scratch s;
  write(s / "a.dbn", small_dbn(1));
  write(s / "b.dbn", small_dbn(9));
  write(s / "other.dbn", small_dbn(20, "NQH4"));
  const Outcome o = foxhunt(with({"import", "dbn", "a.dbn", "b.dbn", "-o", "two.h5"}, kTerms), s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.out, "records      32 "));
  const market::Market m = market::read_market((s / "two.h5").string());
  ASSERT_EQ(m.rows(), 16);
  EXPECT_EQ(m.session.front(), 0);
  EXPECT_EQ(m.session.back(), 1);
  EXPECT_EQ(m.best_bid(8), 400) << "the second file's book begins anew";
  EXPECT_EQ(std::get<int64_t>(m.attributes.at("quality.records")), 32);

  const auto before = entries(s.folder());
  EXPECT_TRUE(refused(foxhunt(with({"import", "dbn", "b.dbn", "a.dbn", "-o", "x.h5"}, kTerms), s.folder()), "in the order of time"));
  EXPECT_TRUE(refused(foxhunt(with({"import", "dbn", "a.dbn", "other.dbn", "-o", "x.h5"}, kTerms), s.folder()), "does not go with"));
  EXPECT_EQ(entries(s.folder()), before);
}

TEST(CliData, ExistingFilesNeedForce) {
  const Scratch s;
  write(s / "day.dbn", small_dbn(1));
  write(s / "out.h5", "mine");
  EXPECT_TRUE(refused(foxhunt({"generate", "planted", "-o", "out.h5", "--rows", "512"}, s.folder()), "--force replaces it"));
  EXPECT_TRUE(refused(foxhunt(with({"import", "dbn", "day.dbn", "-o", "out.h5"}, kTerms), s.folder()), "--force replaces it"));
  EXPECT_TRUE(refused(foxhunt(with({"import", "dbn", "day.dbn", "-o", "./day.dbn", "--force"}, kTerms), s.folder()), "is an input, too"));
  EXPECT_EQ(slurp(s / "out.h5"), "mine");
  EXPECT_EQ(slurp(s / "day.dbn"), small_dbn(1));
  ASSERT_EQ(foxhunt({"generate", "planted", "-o", "out.h5", "--rows", "512", "--force"}, s.folder()).code, 0);
  EXPECT_EQ(market::read_market((s / "out.h5").string()).rows(), 512);
}

TEST(CliData, TermsComeFromTheDefinitionOrAreAskedFor) {
  const Scratch s;
  write(s / "day.dbn", small_dbn(1));
  EXPECT_TRUE(refused(foxhunt({"import", "dbn", "day.dbn", "-o", "x.h5"}, s.folder()), "are not known"));
  EXPECT_EQ(entries(s.folder()), std::set<std::string>{"day.dbn"});
  write(s / "terms.dbn", mt::dbn_head(1, 9, {{"ESH4", 7}}) + mt::definition(1, 7, "ESH4", "ES", mt::px(0.25), mt::px(50)));
  const Outcome o = foxhunt({"import", "dbn", "day.dbn", "-o", "x.h5", "--definition", "terms.dbn"}, s.folder());
  EXPECT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.out, "tick 0.25, 50 USD a point"));
}

TEST(CliData, RealDayOfTheSP500Future) {
  const fs::path day = data_file("esh4-glbx-mdp3-20231225.mbo.dbn.zst"), terms = data_file("definition-glbx-es-fut.dbn.zst");
  if (day.empty() || terms.empty()) GTEST_SKIP() << "the ESH4 test data is absent (FOXHUNT_TEST_DATA)";
  const Scratch s;
  const Outcome o = foxhunt({"import", "dbn", day.string(), "-o", "es.h5", "--definition", terms.string()}, s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.out, "rows         37,064"));
  EXPECT_TRUE(contains(o.out, "crossed 143"));
  EXPECT_TRUE(contains(o.out, "deepest -94 ticks"));
  EXPECT_TRUE(contains(o.out, "spread       1 tick 94.0 %, 2 ticks 6.0 %"));
  const Outcome run = foxhunt(tiny_run("run", {"--env.source", "file", "--env.path", "es.h5", "--env.fee_taker", "2.25"}), s.folder());
  EXPECT_EQ(run.code, 0) << shown(run);
}

}  // namespace
}  // namespace foxhunt::test
