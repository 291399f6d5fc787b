#include <cmath>
#include <numeric>

#include "dbn_bytes.hpp"
#include "market/market_file.hpp"
#include "market/philox.hpp"
#include "market/planted.hpp"
#include "market/quality.hpp"

namespace foxhunt::market::test {
namespace {

/// Known answers published with the generator (Random123, kat_vectors).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(Philox(0u, 0u)(0, 0), (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox(0xffffffffu, 0xffffffffu)(UINT64_MAX, UINT64_MAX),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox(0xa4093822u, 0x299f31d0u)(0x85a308d3243f6a88u, 0x0370734413198a2eu),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  EXPECT_NE(Philox(1, "a")(0), Philox(1, "b")(0));
  EXPECT_NE(Philox(1, "a")(0), Philox(2, "a")(0));
}

TEST(PlantedChain, IsTheDiscretisedAutoregression) {
  const AlphaChain c = make_chain({});
  ASSERT_EQ(c.alpha.size(), 31u);
  EXPECT_DOUBLE_EQ(c.alpha.front(), -0.9);
  EXPECT_NEAR(c.alpha[15], 0, 1e-12);
  EXPECT_DOUBLE_EQ(c.alpha.back(), 0.9);
  double mean = 0, square = 0, lagged = 0;
  for (size_t i = 0; i < 31; ++i) {
    const auto* row = &c.transition[i * 31];
    EXPECT_NEAR(std::accumulate(row, row + 31, 0.0), 1, 1e-12);
    double next = 0;
    for (size_t j = 0; j < 31; ++j) {
      EXPECT_GE(row[j], 0);
      next += row[j] * c.alpha[j];
    }
    mean += c.stationary[i] * c.alpha[i];
    square += c.stationary[i] * c.alpha[i] * c.alpha[i];
    lagged += c.stationary[i] * c.alpha[i] * next;
  }
  EXPECT_NEAR(std::accumulate(c.stationary.begin(), c.stationary.end(), 0.0), 1, 1e-12);
  EXPECT_NEAR(mean, 0, 1e-9);
  EXPECT_NEAR(std::sqrt(square), 0.3, 0.02);  // a coarse grid spreads a little wider
  EXPECT_NEAR(lagged / square, 0.95, 0.005);
}

TEST(Planted, FollowsItsModel) {
  PlantedOptions o;
  o.rows = 200'000;
  const Market m = generate_planted(o);
  validate(m, "planted");
  const AlphaChain c = make_chain(o.model);
  std::vector<int64_t> visits(31), ups(31);
  double lagged = 0, square = 0;
  for (int64_t r = 0; r < m.rows(); ++r) {
    const auto i = static_cast<size_t>(r);
    ASSERT_EQ(m.spread(r), 1);
    ASSERT_TRUE(m.is_tradable(r));
    ASSERT_EQ(m.bid_sz[i * 10], 4u);
    ASSERT_EQ(m.ask_sz[i * 10 + 1], 4u);
    const auto state = static_cast<size_t>(std::lround((m.signal[i] + 0.9) / 0.06));
    ASSERT_NEAR(c.alpha[state], m.signal[i], 1e-6);
    // The book behind the near levels tells the state, linearly.
    const double b = m.bid_sz[i * 10 + 3], a = m.ask_sz[i * 10 + 3];
    ASSERT_NEAR((b - a) / (b + a), m.signal[i], 1e-3);
    if (r + 1 == m.rows()) break;
    const int32_t move = m.best_bid(r + 1) - m.best_bid(r);
    ASSERT_EQ(std::abs(move), 1);
    ASSERT_EQ(m.buy_volume[i + 1], move > 0 ? 4u : 0u);
    ++visits[state];
    ups[state] += move > 0;
    lagged += m.signal[i] * m.signal[i + 1];
    square += m.signal[i] * m.signal[i];
  }
  for (size_t s = 0; s < 31; ++s) {
    if (visits[s] < 1000) continue;
    const double n = static_cast<double>(visits[s]), p = (1 + c.alpha[s]) / 2;
    EXPECT_NEAR(static_cast<double>(ups[s]) / n, p, 5 * std::sqrt(p * (1 - p) / n)) << s;
  }
  EXPECT_NEAR(lagged / square, 0.95, 0.01);
}

TEST(Planted, AnyOrderBetweenTheLimitsWalksNearLevelsOnly) {
  for (const uint32_t lots : {1u, 2u, 3u, 4u, 8u, 100u}) {
    PlantedOptions o;
    o.rows = 1;
    o.model.near_lots = lots;
    const Market m = generate_planted(o);
    int levels = 0;
    while (levels < 10 && m.ask_sz[static_cast<size_t>(levels)] == lots &&
           m.bid_sz[static_cast<size_t>(levels)] == lots)
      ++levels;
    EXPECT_EQ(levels, near_levels(o.model));
    EXPECT_GE(levels * lots, 8u);
    EXPECT_LT((levels - 1) * lots, 8u);
    EXPECT_LE(levels, 8);
  }
}

TEST(Planted, ShownSizesTellAllStatesApart) {
  const PlantedModel model;
  const AlphaChain c = make_chain(model);
  for (size_t s = 1; s < c.alpha.size(); ++s) {
    const DeepSizes less = deep_sizes(model, c.alpha[s - 1]), more = deep_sizes(model, c.alpha[s]);
    EXPECT_GT(more.bid, less.bid + 50);
    EXPECT_LT(more.ask + 50, less.ask);
    EXPECT_EQ(more.bid + more.ask, 2000u);
  }
  EXPECT_EQ(deep_sizes(model, 0).bid, 1000u);
  EXPECT_EQ(deep_sizes(model, 99).ask, 100u);
}

TEST(Planted, HiddenShowsAlphaPlusNoise) {
  PlantedOptions o;
  o.rows = 100'000;
  const Market plain = generate_planted(o);
  o.model.hidden = true;
  const Market hidden = generate_planted(o);
  EXPECT_EQ(plain.bid_px, hidden.bid_px);  // the same path, seen through noise
  double sum = 0, square = 0;
  for (size_t i = 0; i < plain.signal.size(); ++i) {
    const double noise = hidden.signal[i] - plain.signal[i];
    sum += noise;
    square += noise * noise;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.015);
  EXPECT_NEAR(std::sqrt(square / 1e5), 0.9, 0.01);
}

/// The market is part of what a record is compared with: its bytes are fixed.
TEST(Planted, IsTheSameEverywhere) {
  PlantedOptions o;
  o.rows = 10'000;
  const auto hash = [](const Market& m) {
    uint64_t h = 0xcbf29ce484222325u;
    for (const auto* column : {&m.bid_sz, &m.ask_sz})
      for (const uint32_t x : *column) h = (h ^ x) * 0x100000001b3u;
    for (const int32_t x : m.bid_px) h = (h ^ static_cast<uint32_t>(x)) * 0x100000001b3u;
    return h;
  };
  const uint64_t first = hash(generate_planted(o));
  EXPECT_EQ(first, hash(generate_planted(o)));
  EXPECT_EQ(first, 5304467304232801329u);
  o.seed = 2;
  EXPECT_NE(first, hash(generate_planted(o)));
}

TEST(Planted, SessionsAndDescription) {
  PlantedOptions o;
  o.rows = 250;
  o.session_rows = 100;
  const Market m = generate_planted(o);
  EXPECT_EQ(m.session.back(), 2);
  EXPECT_EQ(m.session[99], 0);
  EXPECT_GT(m.ts[100] - m.ts[99], 1'800'000'000'000);
  const std::string text = describe(m);
  EXPECT_TRUE(contains(text, "PLANTED, tick 1, 1 USD a point"));
  EXPECT_TRUE(contains(text, "planted.phi = 0.95"));
  EXPECT_TRUE(contains(text, "3 sessions"));
}

TEST(Planted, ImpossibleOptionsAreRefused) {
  const auto why = [](auto change) {
    PlantedOptions o;
    o.rows = 10;
    change(o);
    return error_of([&] { generate_planted(o); });
  };
  EXPECT_TRUE(contains(why([](auto& o) { o.rows = 0; }), "rows"));
  EXPECT_TRUE(contains(why([](auto& o) { o.session_rows = -1; }), "session_rows"));
  EXPECT_TRUE(contains(why([](auto& o) { o.model.states = 1; }), "states"));
  EXPECT_TRUE(contains(why([](auto& o) { o.model.phi = 1; }), "phi"));
  EXPECT_TRUE(contains(why([](auto& o) { o.model.phi = std::nan(""); }), "phi"));
  EXPECT_TRUE(contains(why([](auto& o) { o.model.sigma = 0.4; }), "exceed 1"));
  EXPECT_TRUE(contains(why([](auto& o) { o.model.near_lots = 0; }), "one lot"));
}

}  // namespace
}  // namespace foxhunt::market::test
