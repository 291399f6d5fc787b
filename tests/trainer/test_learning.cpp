// One iteration as a whole: what it writes, what it leaves alone.
#include <cmath>

#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

TEST(Iteration, AdvancesTheStepAndMovesAllThatTrains) {
  Trained t;
  const auto before = t.state();
  t.run(5);
  const auto after = t.state();
  EXPECT_EQ(t.get<uint64_t>("/rng/step"), std::vector<uint64_t>{5});
  EXPECT_EQ(t.session.step(), 5);
  EXPECT_EQ(t.get<uint64_t>("/optimizer/policy/t"), std::vector<uint64_t>{5});
  for (const auto& [path, bytes] : after)
    if (path.find("/online/") != std::string::npos) {
      EXPECT_NE(bytes, before.at(path)) << path;
    }
}

TEST(Iteration, HeadsLearnOnlyOnceTheReplayHoldsEnough) {
  Trained t;
  const auto first = t.get<float>("/heads/c51/online/w");
  int64_t updates = 0;
  for (int k = 0; k < 5; ++k) {
    t.run(1);
    if (t.get<int32_t>("/replay/ring")[1] >= 64) updates += 2;
    EXPECT_EQ(t.get<uint64_t>("/heads/c51/adam/t")[0], static_cast<uint64_t>(updates));
    EXPECT_EQ(t.get<float>("/heads/c51/online/w") == first, updates == 0);
  }
  EXPECT_GT(updates, 2);
}

TEST(Iteration, TheSameSeedIsTheSameRunAndAnotherIsNot) {
  Trained a, b, c({{"trainer.seed", "2"}}), threads({{"trainer.threads", "2"}});
  for (Trained* t : {&a, &b, &c, &threads}) t->run(4);
  EXPECT_EQ(a.state(), b.state());
  EXPECT_EQ(a.state(), threads.state());
  EXPECT_NE(a.state(), c.state());
}

TEST(Iteration, ADiagnosticHeadChangesNoBitOfTheRest) {
  Trained alone, beside({{"heads", "other:c51 c51"}, {"ensemble", "c51"}, {"risk_source", "c51"}, {"other.atoms", "11"}});
  alone.run(6);
  beside.run(6);
  auto rest = beside.state();
  std::erase_if(rest, [](const auto& e) { return e.first.find("/heads/other/") == 0; });
  EXPECT_EQ(rest, alone.state());
}

TEST(Iteration, FillsAreThoseOfTheLastRollout) {
  Trained t;
  std::vector<double> position(8, 0);
  int64_t fills = 0;
  for (int64_t k = 0; k < 6; ++k) {
    t.run(1);
    int64_t last = -1;
    t.session.last_fills([&](const Fill& f) {
      ++fills;
      EXPECT_GE(f.step, k * 4);
      EXPECT_LT(f.step, k * 4 + 4);
      EXPECT_GT(f.step * 8 + f.account, last) << "in order of step and account";
      last = f.step * 8 + f.account;
      EXPECT_NE(f.lots, 0);
      EXPECT_NEAR(f.fee_usd, 0.05 * std::abs(f.lots), 1e-12);
      const double price = f.value_ticks / f.lots;
      const auto at = static_cast<size_t>(f.row * t.session.market().levels);
      EXPECT_GE(price, t.session.market().bid_px[at] - 10);
      EXPECT_LE(price, t.session.market().ask_px[at] + 10);
      position[static_cast<size_t>(f.account)] += f.lots;
    });
    EXPECT_EQ(position, t.get<double>("/env/position"));
  }
  EXPECT_GT(fills, 50);
}

TEST(FirstEpisodes, AreSpreadOverRowsAndLengths) {
  Trained t({{"trainer.accounts", "400"}, {"trainer.horizon", "1"}, {"replay.capacity", "1000"}, {"env.episode_rows", "10"}});
  const auto steps = t.get<int32_t>("/env/steps_left"), rows = t.get<int32_t>("/env/row");
  std::map<int32_t, int> lengths;
  double mean = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    ASSERT_GE(steps[i], 1);
    ASSERT_LE(steps[i], 10);
    ++lengths[steps[i]];
    mean += rows[i] / 400.0;
  }
  EXPECT_EQ(lengths.size(), 10u);
  EXPECT_NEAR(mean, 420, 60) << "840 rows of training";
  // So that about as many end in every step.
  for (int k = 0; k < 4; ++k) {
    t.run(1);
    int ended = 0;
    for (const uint8_t d : t.get<uint8_t>("rollout/done")) ended += d != 0;
    EXPECT_NEAR(ended, 40, 25);
  }
}

}  // namespace
}  // namespace foxhunt::trainer::test
