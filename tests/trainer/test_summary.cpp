// summary.json and what is printed.
#include "trainer/summary.hpp"

#include <algorithm>
#include <cmath>

#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

EvaluationResult some_result() {
  EvaluationResult r;
  r.part = "test";
  r.accounts = 3;
  r.steps = 100;
  r.rows = 103;
  r.pnl_usd = -12.5;
  r.fees_usd = 3;
  r.max_drawdown_usd = 20;
  r.trades = 8;
  r.wins = 2;
  r.hold_share = 0.5;
  r.action_share = {0, 0, 0, 0.25, 0.75, 0, 0, 0, 0};
  r.action_names = {"short_full", "short_half", "short_small", "hold", "long_small", "long_half", "long_full", "half_flat", "full_flat"};
  r.sharpe = 1.5;
  r.grid_seconds = 60;
  r.annualisation = 300;
  for (int i = 0; i < 1000; ++i) {
    r.curve.push_back(i < 999 ? i : 900.25);
    r.curve_ts.push_back(1'000'000'000 + i);
  }
  return r;
}

TEST(Summary, HoldsEvaluationsAndLastMetrics) {
  const diagnostics::MetricSchema schema({{.name = "step"}, {.name = "x"}});
  diagnostics::Row last(schema);
  last.set("step", 3).set("x", std::nan(""));
  Summary s;
  s.iterations = 3;
  s.env_steps = 96;
  s.verdict = "passed";
  s.evaluations = {some_result()};
  const std::string json = to_document(s, &last).str();
  expect_all(json, {"\"iterations\"", "\"verdict\"", "\"passed\"", "\"test\"", "\"pnl_usd\"", "-12.5", "\"sharpe\"", "\"sharpe_factor\"", "\"long_small\"",
                    "0.75", "\"metrics\"", "\"nan\""});
  EXPECT_EQ(json.find("null"), std::string::npos);
  EXPECT_EQ(to_document(s, nullptr).str().find("\"nan\""), std::string::npos);
}

TEST(Summary, TheEquityCurveIsATable) {
  EvaluationResult r = some_result(), other = some_result();
  other.part = "validation";
  other.curve = {-1.5};
  other.curve_ts = {7};
  EXPECT_EQ(equity_csv({}), "part,ts,equity_usd,drawdown_usd\n");
  const std::string csv = equity_csv({other, r});
  EXPECT_TRUE(csv.starts_with("part,ts,equity_usd,drawdown_usd\nvalidation,7,-1.5000,1.5000\ntest,1000000000,0.0000,0.0000\n")) << csv.substr(0, 200);
  EXPECT_TRUE(csv.ends_with("\ntest,1000000998,998.0000,0.0000\ntest,1000000999,900.2500,97.7500\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1002);
}

TEST(Summary, AnUndefinedSharpeIsSaidAndNotANumber) {
  EvaluationResult r = some_result();
  expect_all(to_text(r), {"test split: 100 steps", "-$12.50", "$20.00", "1.50 annualised", "60 s clock grid", "25.0 % with a gain", "hold 25%", "long_small 75%"});
  r.sharpe = std::nan("");
  expect_all(to_text(r), {"undefined"});
  expect_all(to_document(r).str(), {"\"sharpe\"", "\"nan\""});
}

}  // namespace
}  // namespace foxhunt::trainer::test
