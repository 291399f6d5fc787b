// PnL to the cent equal to an independent ledger over the logged fills.
#include <gtest/gtest.h>

#include <cmath>
#include <foxhunt/checkpoints/reader.hpp>
#include <fstream>

#include "ledger.hpp"
#include "market/market_file.hpp"
#include "run.hpp"

namespace foxhunt::test {
namespace {

void check(const Scratch& s, const fs::path& market_file, int iterations, double fee, const Arguments& more) {
  Arguments arguments = small_run("run", iterations, {"--env.source", "file", "--env.path", market_file.string(), "--env.fee_taker",
                                                      std::to_string(fee), "--fills", (s / "fills.csv").string()});
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome o = foxhunt(arguments, s.folder());
  ASSERT_EQ(o.code, 0) << o.err;

  const market::Market m = market::read_market(market_file.string());
  const checkpoints::Reader file(latest(s / "run"));
  const Ledger ledger(slurp(s / "fills.csv"), m, 64, fee);
  EXPECT_GT(ledger.fills, 1000);
  const std::vector<double> position = file.read<double>("/env/position");
  for (size_t i = 0; i < position.size(); ++i) EXPECT_EQ(ledger.accounts[i].position, position[i]) << "account " << i;

  std::vector<std::string> rows;
  std::ifstream in(s / "run" / "diag.jsonl");
  for (std::string row; std::getline(in, row);) {
    EXPECT_EQ(row.find("null"), std::string::npos) << "a metric without a value: " << row;
    EXPECT_EQ(number(row, "nan_abort_step"), -1);
    rows.push_back(row);
  }
  ASSERT_EQ(rows.size(), static_cast<size_t>(iterations));
  // The training part begins at row 0 of the market.
  EXPECT_NEAR(number(rows.back(), "pnl_cum_usd"), ledger.worth(m, file.read<std::int32_t>("/env/row")), 0.005);
  EXPECT_NEAR(number(rows.back(), "fees_cum_usd"), ledger.fees, 0.005);
}

TEST(LedgerOfFills, PlantedMarket) {
  const Scratch s;
  const fs::path market = s / "planted.h5";
  ASSERT_EQ(foxhunt({"generate", "planted", "-o", market.string(), "--env.rows", "20000", "--env.depth", "2"}, s.folder()).code, 0);
  check(s, market, 100, 0.05, {"--env.episode_rows", "300"});
}

TEST(LedgerOfFills, EsDayTwoHundredIterations) {
  const fs::path dbn = data_file("esh4-glbx-mdp3-20231225.mbo.dbn.zst"), definition = data_file("definition-glbx-es-fut.dbn.zst");
  if (dbn.empty()) GTEST_SKIP() << "the real market data is not here (set FOXHUNT_TEST_DATA)";
  const Scratch s;
  const fs::path market = s / "es.h5";
  const Outcome import = foxhunt({"import", "dbn", dbn.string(), "--definition", definition.string(), "-o", market.string()}, s.folder());
  ASSERT_EQ(import.code, 0) << import.err;
  check(s, market, 200, 2.25, {"--env.latency", "1000", "--env.episode_rows", "2000"});
}

}  // namespace
}  // namespace foxhunt::test
