// What an agent did, as a policy over the true state, and what that policy earns.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "known_answers/visits.hpp"
#include "market/planted.hpp"

namespace foxhunt::known_answers::test {
namespace {

std::shared_ptr<const PlantedGame> game() { return std::make_shared<const PlantedGame>(make_game({})); }

// Plays on a generated market. choose(t, alpha index, position index) -> action
template <class Choose>
Visits play(const std::shared_ptr<const PlantedGame>& g, int64_t rows, const Choose& choose) {
  market::PlantedOptions o;
  o.model = g->settings.model;
  o.rows = rows;
  const std::vector<uint16_t> alpha = market::planted_states(o);
  Visits visits(g);
  size_t k = g->flat;
  for (size_t t = 0; t < alpha.size(); ++t) {
    const size_t a = choose(t, alpha[t], k);
    visits.add(alpha[t], k, a, t * Visits::kFolds / alpha.size());
    k = g->next[k][a];
  }
  return visits;
}

size_t best(const Table& policy, size_t cell) {
  for (size_t a = 0; a < kActions; ++a)
    if (policy[cell * kActions + a] == 1) return a;
  return kActions;
}

TEST(Visits, ThePolicyOfAlphaAndPositionIsScoredExactlyFromFewSteps) {
  const auto g = game();
  const MeanOptimum optimum = mean_optimum(*g);
  const Visits v = play(g, 20'000, [&](size_t, size_t i, size_t k) { return best(optimum.policy, g->cell(i, k)); });
  EXPECT_EQ(v.steps(), 20'000);
  const Score s = score(v);
  EXPECT_NEAR(s.ticks, optimum.ticks, 1e-9);
  EXPECT_LT(s.error, 1e-9);
}

TEST(Visits, AnAgentWithAMemoryIsScoredWithinItsError) {
  const auto g = game();
  // Every third step holds, whatever alpha is: no policy of the state.
  const Table policy = mean_optimum(*g).policy;
  const auto choose = [&](size_t t, size_t i, size_t k) { return t % 3 ? best(policy, g->cell(i, k)) : 3; };
  const Score brief = score(play(g, 20'000, choose)), lengthy = score(play(g, 2'000'000, choose));
  EXPECT_LT(lengthy.error, 0.002);
  EXPECT_GT(brief.error, lengthy.error);
  EXPECT_NEAR(brief.ticks, lengthy.ticks, 4 * brief.error);
  EXPECT_LT(lengthy.ticks, mean_optimum(*g).ticks - 0.01);
}

TEST(Visits, AStateNeverSeenTakesTheNearestAlphaAtThatPosition) {
  const auto g = game();
  Visits v(g);
  v.add(4, 2, 6, 0);
  v.add(20, 2, 8, 1);
  const Table all = v.policy(), without = v.policy(0);
  EXPECT_EQ(best(all, g->cell(0, 2)), 6U);
  EXPECT_EQ(best(all, g->cell(30, 2)), 8U);
  EXPECT_EQ(best(all, g->cell(30, 1)), 3U);
  EXPECT_EQ(best(without, g->cell(0, 2)), 8U);
}

TEST(PlantedMarket, StatesDrawnAgainAreThoseOfTheMarket) {
  market::PlantedOptions o;
  o.rows = 5000;
  o.seed = 12;
  const market::Market m = market::generate_planted(o);
  const auto found = market::planted_options(m);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->seed, 12U);
  const std::vector<uint16_t> states = market::planted_states(*found);
  const market::AlphaChain chain = market::make_chain(o.model);
  for (size_t t = 0; t < states.size(); ++t) ASSERT_EQ(m.signal[t], static_cast<float>(chain.alpha[states[t]]));
}

TEST(PlantedMarket, OtherMarketsAndDamagedAttributesHaveNoOptions) {
  market::Market m = market::generate_planted({});
  m.attributes["planted.phi"] = std::string("high");
  EXPECT_FALSE(market::planted_options(m));
  m.attributes.erase("planted.phi");
  EXPECT_FALSE(market::planted_options(m));
  m.source = "dbn";
  EXPECT_FALSE(market::planted_options(m));
}

}  // namespace
}  // namespace foxhunt::known_answers::test
