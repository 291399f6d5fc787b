// The walk over a part that was not trained on.
#include <cmath>
#include <set>

#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

constexpr size_t kHold = 3, kLongFull = 6, kFullFlat = 8;
// 1200 rows, 70 % and 15 %, embargo 10.
constexpr int64_t kTestFirst = 1030, kTestRows = 170;

struct Walk {
  EvaluationResult result;
  std::vector<Fill> fills;
};

Walk walk(Trained& t, const std::string& part = "test") {
  Walk w;
  w.result = t.session.evaluate(part, [&](const Fill& f) { w.fills.push_back(f); });
  return w;
}

Walk walk_always(size_t action, const Settings& more = {}) {
  Trained t(more);
  t.always(action);
  return walk(t);
}

TEST(Evaluation, LeavesTheTrainingStateUntouchedToTheBit) {
  Trained plain, evaluated;
  plain.run(3);
  evaluated.run(3);
  const auto before = evaluated.state();
  walk(evaluated);
  walk(evaluated, "validation");
  EXPECT_EQ(evaluated.state(), before);
  // Training goes on as if nothing had been, and its metrics are found.
  const diagnostics::Row a = plain.run(3), b = evaluated.run(3);
  EXPECT_EQ(evaluated.state(), plain.state());
  for (const char* key : {"step", "pnl_cum_usd", "entropy", "l_c51"}) EXPECT_EQ(a.get(key), b.get(key)) << key;
}

TEST(Evaluation, IsTheSameEachTime) {
  Trained t({{"eval.selection", "sample"}});
  t.run(2);
  const Walk a = walk(t), b = walk(t);
  EXPECT_EQ(a.result.curve, b.result.curve);
  EXPECT_EQ(a.fills.size(), b.fills.size());
  EXPECT_GT(a.fills.size(), 20u);
}

TEST(Evaluation, TheCurveIsThatOfTheFills) {
  Trained t({{"eval.selection", "sample"}, {"position_sizing.plugin", "variance"}});
  t.run(4);
  for (const char* part : {"validation", "test"}) {
    const Walk w = walk(t, part);
    const EvaluationResult& r = w.result;
    std::map<int64_t, double> position, cash;
    double fees = 0;
    const int64_t first = part == std::string("test") ? kTestFirst : 850, last = part == std::string("test") ? 1200 : 1020;
    for (const Fill& f : w.fills) {
      EXPECT_GE(f.row, first);
      EXPECT_LT(f.row, last);
      position[f.account] += f.lots;
      cash[f.account] -= f.value_ticks * t.session.tick_value() + f.fee_usd;
      fees += f.fee_usd;
    }
    double pnl = 0;
    for (const auto& [account, lots] : position) EXPECT_EQ(lots, 0) << "account " << account << " is not closed out";
    for (const auto& [account, usd] : cash) pnl += usd;
    EXPECT_NEAR(r.pnl_usd, pnl, 1e-6);
    EXPECT_NEAR(r.fees_usd, fees, 1e-9);
    EXPECT_EQ(r.curve.back(), r.pnl_usd);
    EXPECT_EQ(r.curve.size(), static_cast<size_t>(r.steps));
    EXPECT_TRUE(std::is_sorted(r.curve_ts.begin(), r.curve_ts.end())) << "joined in the order of time";
    EXPECT_EQ(std::set<int64_t>(r.curve_ts.begin(), r.curve_ts.end()).size(), r.curve_ts.size()) << "no row is walked twice";
    EXPECT_NEAR(r.pnl_ticks_per_step, r.pnl_usd / t.session.tick_value() / static_cast<double>(r.steps), 1e-12);
    EXPECT_EQ(r.part, part);
    EXPECT_EQ(r.rows, last - first);
  }
}

TEST(Evaluation, OfAConstantPositionIsWhatTheMarketSays) {
  // Bought on a segment's second row, sold on its last: at the touch, with 4 lots there.
  for (const char* accounts : {"1", "3", "7", "1000"}) {
    Trained t({{"eval.accounts", accounts}});
    t.always(kLongFull);
    const market::Market& m = t.session.market();
    const int64_t length = std::max<int64_t>(8, (kTestRows + std::stoll(accounts) - 1) / std::stoll(accounts));
    double pnl = 0;
    int64_t steps = 0, segments = 0;
    for (int64_t s = kTestFirst; s < 1200; s += length) {
      const int64_t last = std::min<int64_t>(1200, s + length) - 1;
      if (last == s) continue;
      ++segments;
      steps += last - s;
      if (last > s + 1) pnl += 4 * (m.best_bid(last) - m.best_ask(s + 1) - 2 * 0.05);
    }
    const EvaluationResult r = walk(t).result;
    EXPECT_EQ(r.accounts, segments);
    EXPECT_EQ(r.steps, steps);
    EXPECT_NEAR(r.pnl_usd, pnl, 1e-6) << accounts;
    EXPECT_EQ(r.trades, segments - (kTestRows % length == 2)) << "each closed out once";
  }
}

TEST(Evaluation, OfWhoHoldsNothingIsZeroForAnyNumberOfAccounts) {
  for (const size_t action : {kHold, kFullFlat})
    for (const char* accounts : {"1", "5", "64"}) {
      const EvaluationResult r = walk_always(action, {{"eval.accounts", accounts}}).result;
      EXPECT_EQ(r.pnl_usd, 0);
      EXPECT_EQ(r.fees_usd, 0);
      EXPECT_EQ(r.hold_share, 0);
      EXPECT_EQ(r.trades, 0);
      EXPECT_EQ(r.max_drawdown_usd, 0);
      EXPECT_TRUE(std::isnan(r.sharpe)) << "without variance it is undefined";
      EXPECT_EQ(r.action_share[action], 1);
    }
}

TEST(Evaluation, DoesNotDependOnTheAccountsOfTraining) {
  // The same weights: the walk knows nothing of how many accounts gathered experience.
  const Scratch s;
  Trained eight;
  eight.run(3);
  eight.save(s / "a.h5");
  Trained two({{"trainer.accounts", "2"}}, false);
  two.session.load_policy(checkpoints::Reader(s / "a.h5"));
  EXPECT_EQ(walk(eight).result.curve, walk(two).result.curve);
}

TEST(Evaluation, WalksAsManyRowsAsAsked) {
  const EvaluationResult r = walk_always(kHold, {{"eval.rows", "50"}, {"eval.accounts", "1"}}).result;
  EXPECT_EQ(r.rows, 50);
  EXPECT_EQ(r.steps, 49);
}

TEST(Evaluation, ARuinedAccountIsClosedOutToo) {
  Trained t({{"env.initial_equity", "6"}, {"eval.accounts", "2"}});
  t.always(kLongFull);
  const Walk w = walk(t);
  EXPECT_GT(w.result.ruined, 0);
  std::map<int64_t, double> position;
  double pnl = 0;
  for (const Fill& f : w.fills) position[f.account] += f.lots, pnl -= f.value_ticks * t.session.tick_value() + f.fee_usd;
  for (const auto& [account, lots] : position) EXPECT_EQ(lots, 0) << "account " << account;
  EXPECT_NEAR(w.result.pnl_usd, pnl, 1e-6) << "closing out pays spread and fee";
  EXPECT_NEAR(w.result.action_share[kLongFull], 1, 1e-12) << "closing out is nobody's decision";
  EXPECT_LT(w.result.steps, static_cast<int64_t>(w.result.curve.size()));
}

TEST(Evaluation, APartWithoutRowsIsRefusedByName) {
  Trained t({{"env.embargo", "100000"}});
  EXPECT_FALSE(t.session.has_part("test"));
  expect_all(error_of([&] { t.session.evaluate("test"); }), {"no test part", "env.split_train = 0.7", "env.split_validation = 0.15", "env.embargo = 100000"});
}

TEST(Evaluation, KeepsSessionsApart) {
  Trained t({{"env.source", "synthetic"}, {"eval.accounts", "1"}});
  t.always(kLongFull);
  const Walk w = walk(t);
  std::map<int64_t, std::set<int32_t>> sessions;
  for (const Fill& f : w.fills) sessions[f.account].insert(t.session.market().session[static_cast<size_t>(f.row)]);
  for (const auto& [account, seen] : sessions) EXPECT_EQ(seen.size(), 1u) << "account " << account;
  EXPECT_FALSE(w.fills.empty());
}

}  // namespace
}  // namespace foxhunt::trainer::test
