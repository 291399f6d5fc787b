// Accounts against books kept in plain C++, on random markets and with random actions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "ledger.hpp"
#include "rig.hpp"

namespace foxhunt::environment::test {
namespace {

// Loss limits lie between two possible equities, which the ledger sums in another order.
struct Case {
  const char* name;
  double latency_us, fee, reward_scale, loss_limit;
  int64_t episode_steps;
  Rounding rounding;
  double lot;
  int64_t levels;
  bool scaled;
};

struct Totals {
  int64_t terminated = 0, truncated = 0, waited = 0, flips = 0, partial = 0;
};

class Books {
 public:
  Books(const market::Market& m, const Case& c, int64_t accounts, uint64_t seed)
      : market_(m), feed_(feed_of(m, c.latency_us)), settings_(settings_of(c, accounts)), rig_(feed_, settings_, seed),
        scaled_(c.scaled), random_(seed), ledgers_(static_cast<size_t>(accounts), Ledger(m, c.latency_us, settings_)) {
    std::vector<int32_t> rows, steps;
    for (size_t i = 0; i < ledgers_.size(); ++i) {
      rows.push_back(feed_.starts[random_() % feed_.starts.size()]);
      steps.push_back(static_cast<int32_t>(c.episode_steps > 0 ? 1 + random_() % static_cast<uint64_t>(c.episode_steps) : INT32_MAX));
      ledgers_[i].begin(rows[i], steps[i]);
    }
    rig_.start(rows, steps);
    rewards_.assign(ledgers_.size(), 0);
  }

  // One step on both sides, all numbers compared.
  void step() {
    const size_t n = ledgers_.size();
    std::vector<int32_t> action(n);
    std::vector<double> scale(n, 1);
    for (size_t i = 0; i < n; ++i) {
      action[i] = static_cast<int32_t>(random_() % 9);
      if (scaled_) scale[i] = static_cast<double>(random_() % 1000) / 999;
    }
    std::vector<float> sized = rig_.targets(action);
    for (size_t i = 0; i < n; ++i) sized[i] = static_cast<float>(sized[i] * scale[i]);
    rig_.step(action, scale);

    const auto done = rig_.get<uint8_t>(rig_.done), valid = rig_.get<uint8_t>(rig_.valid), ended = rig_.get<uint8_t>(rig_.accounts.ended);
    const auto fill_row = rig_.get<int32_t>(rig_.fill_row), row = rig_.get<int32_t>(rig_.accounts.row);
    const auto reward = rig_.get<float>(rig_.reward);
    const auto lots = rig_.get<double>(rig_.lots), value = rig_.get<double>(rig_.value), equity = rig_.get<double>(rig_.equity);
    const auto cash = rig_.get<double>(rig_.accounts.cash), position = rig_.get<double>(rig_.accounts.position);
    for (size_t i = 0; i < n; ++i) {
      Ledger& l = ledgers_[i];
      const double held = l.position();
      const Ledger::Step s = l.step(action[i], sized[i]);
      ASSERT_EQ(valid[i], s.valid);
      ASSERT_EQ(done[i], s.done);
      ASSERT_EQ(fill_row[i], s.fill_row);
      ASSERT_NEAR(lots[i], s.lots, 1e-9);
      ASSERT_NEAR(value[i], s.value, 1e-6);
      ASSERT_NEAR(reward[i], s.reward, 1e-6 * std::max(1.0, std::abs(s.reward)));
      ASSERT_NEAR(equity[i], l.equity(), 1e-6);
      totals.terminated += s.done == 1;
      totals.truncated += s.done == 2;
      totals.waited += s.waits;
      totals.flips += held * l.position() < 0;
      totals.partial += std::abs(s.lots) > 0 && action[i] != 3 && action[i] < 7 && s.valid && !s.done && !scaled_ &&
                        std::abs(std::abs(l.position()) - std::abs(sized[i])) > 1e-9;
      if (!s.valid && !s.waits) {  // a new episode: the account says where
        ASSERT_EQ(ended[i], 0);
        ASSERT_EQ(position[i], 0);
        ASSERT_EQ(cash[i], 0);
        ASSERT_TRUE(std::binary_search(feed_.starts.begin(), feed_.starts.end(), row[i]));
        l.begin(row[i], settings_.episode_steps > 0 ? settings_.episode_steps : INT32_MAX);
        rewards_[i] = 0;
        continue;
      }
      ASSERT_EQ(row[i], l.row());
      ASSERT_NEAR(position[i], l.position(), 1e-9);
      ASSERT_NEAR(cash[i] + position[i] * l.mark() * feed_.tick_value, l.equity(), 1e-6) << "cash + position x mark is equity";
      // Rewards of an episode sum to its change of equity; f32 rounds each of them.
      rewards_[i] += static_cast<double>(reward[i]);
      if (s.valid) {
        ASSERT_NEAR(rewards_[i] * feed_.tick_value / settings_.reward_scale, l.equity(), 0.01);
      }
    }
    ++steps_;
  }

  void expect_totals() const {
    const auto pnl = rig_.get<double>(rig_.accounts.pnl), fees = rig_.get<double>(rig_.accounts.fees);
    const auto trades = rig_.get<int64_t>(rig_.accounts.trades), wins = rig_.get<int64_t>(rig_.accounts.wins),
               episodes = rig_.get<int64_t>(rig_.accounts.episodes);
    for (size_t i = 0; i < ledgers_.size(); ++i) {
      EXPECT_NEAR(pnl[i], ledgers_[i].pnl, 0.005) << "to the cent after " << steps_ << " steps";
      EXPECT_NEAR(fees[i], ledgers_[i].fees, 0.005);
      EXPECT_EQ(trades[i], ledgers_[i].trades);
      EXPECT_EQ(wins[i], ledgers_[i].wins);
      EXPECT_EQ(episodes[i], ledgers_[i].episodes);
    }
  }

  Totals totals;

 private:
  static AccountSettings settings_of(const Case& c, int64_t accounts) {
    AccountSettings s;
    s.accounts = accounts;
    s.fee = c.fee;
    s.reward_scale = c.reward_scale;
    s.loss_limit = c.loss_limit;
    s.episode_steps = c.episode_steps;
    s.rounding = c.rounding;
    s.lot = c.lot;
    return s;
  }

  const market::Market& market_;
  Feed feed_;
  AccountSettings settings_;
  Rig rig_;
  bool scaled_;
  std::mt19937_64 random_;
  std::vector<Ledger> ledgers_;
  std::vector<double> rewards_;
  int64_t steps_ = 0;
};

class LedgerOn : public testing::TestWithParam<Case> {};

TEST_P(LedgerOn, RandomMarketsAndActions) {
  const Case& c = GetParam();
  Totals seen;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const market::Market m = random_market(2000, c.levels, 100 * seed);
    Books books(m, c, 24, seed);
    for (int t = 0; t < 600; ++t) ASSERT_NO_FATAL_FAILURE(books.step()) << "step " << t << ", seed " << seed;
    books.expect_totals();
    seen.terminated += books.totals.terminated;
    seen.truncated += books.totals.truncated;
    seen.waited += books.totals.waited;
    seen.flips += books.totals.flips;
    seen.partial += books.totals.partial;
  }
  EXPECT_GT(seen.terminated, 50);
  EXPECT_GT(seen.flips, 1000);
  if (c.episode_steps > 0) {
    EXPECT_GT(seen.truncated, 40);
    EXPECT_GT(seen.waited, 0);
  }
  if (!c.scaled && c.levels == 1) {
    EXPECT_GT(seen.partial, 100) << "a thin book must leave orders unfilled";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, LedgerOn,
    testing::Values(Case{"Plain", 0, 2.25, 0.01, 1e300, 0, Rounding::nearest, 1, 3, false},
                    Case{"ThinBook", 0, 0.5, 1, 1e300, 40, Rounding::nearest, 1, 1, false},
                    Case{"Latency", 2500, 2.25, 0.01, 1e300, 25, Rounding::nearest, 1, 3, false},
                    Case{"Rebate", 0, -0.4, 0.01, 1e300, 30, Rounding::truncate, 1, 3, true},
                    Case{"Ruin", 0, 2.25, 0.01, 400.1, 30, Rounding::nearest, 1, 3, true},
                    Case{"FractionsOfLots", 0, 2.25, 0.01, 1e300, 50, Rounding::none, 0.25, 2, true},
                    Case{"HalfLots", 300, 2.25, 0.5, 1500.1, 50, Rounding::nearest, 0.5, 3, true}),
    [](const auto& i) { return std::string(i.param.name); });

TEST(LedgerLong, PnlIsRightToTheCentAfterAHundredThousandStepsNear5000Points) {
  const market::Market m = random_market(60'000, 3, 77, 20'000);
  const Case c{"Long", 0, 2.25, 0.01, 1e300, 4096, Rounding::nearest, 1, 3, false};
  Books books(m, c, 2, 3);
  for (int t = 0; t < 100'000; ++t) ASSERT_NO_FATAL_FAILURE(books.step()) << "step " << t;
  books.expect_totals();
}

TEST(LedgerLong, AnEpisodeOfAHundredThousandStepsIsRightToTheCentToo) {
  // One session, no limit: cash itself runs up.
  market::Market m = simple_market(std::vector<int32_t>(100'002, 0), 3);
  std::mt19937_64 random(1);
  int32_t bid = 20'000;
  for (int64_t r = 0; r < m.rows(); ++r) {
    bid += static_cast<int32_t>(random() % 3) - 1;
    set_book(m, r, {{bid, 3}}, {{bid + 1, 3}});
  }
  const Case c{"Episode", 0, 2.25, 0.01, 1e300, 0, Rounding::nearest, 1, 1, false};
  AccountSettings s;
  s.fee = c.fee;
  const Feed feed = feed_of(m);
  Rig rig(feed, s);
  Ledger ledger(m, 0, s);
  rig.start({0});
  ledger.begin(0, INT32_MAX);
  for (int t = 0; t < 100'000; ++t) {
    const auto action = static_cast<int32_t>(random() % 9);
    const float target = rig.targets({action})[0];
    rig.step(action);
    ledger.step(action, target);
  }
  EXPECT_EQ(rig.position(), ledger.position());
  EXPECT_NEAR(rig.get<double>(rig.equity)[0], ledger.equity(), 0.005);
  EXPECT_NEAR(rig.get<double>(rig.accounts.pnl)[0], ledger.equity(), 0.005);
  EXPECT_LT(ledger.equity(), -1e6) << "random trading pays the spread";
}

}  // namespace
}  // namespace foxhunt::environment::test
