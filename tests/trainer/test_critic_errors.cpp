// The parts of a critic's error on samples whose truth is known.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "trainer/critic_errors.hpp"

namespace foxhunt::trainer::test {
namespace {

constexpr size_t kSamples = 500, kCells = 20, kWidth = 2, kHidden = 3;

struct Case {
  CriticSamples samples;
  known_answers::Table linear, curved;  ///< [cells, width]: linear in h, and not
};

// h is a function of the cell.
Case make_case() {
  Case c;
  c.samples.hidden = kHidden;
  c.samples.actions = kWidth;
  std::mt19937_64 random(3);
  std::vector<std::array<float, kHidden>> h(kCells);
  for (auto& row : h) {
    for (float& x : row) x = static_cast<float>(std::normal_distribution<>()(random));
    c.linear.push_back(1 + 2.0 * row[0] - row[2]);
    c.linear.push_back(0.5 * row[1]);
    c.curved.push_back(1.0 * row[0] * row[0]);
    c.curved.push_back(std::abs(1.0 * row[1]));
  }
  for (size_t i = 0; i < kSamples; ++i) {
    c.samples.cells.push_back(random() % kCells);
    for (const float x : h[c.samples.cells.back()]) c.samples.h.push_back(x);
  }
  return c;
}

std::vector<float> at_samples(const CriticSamples& s, const known_answers::Table& table, double plus = 0) {
  std::vector<float> values;
  for (const size_t cell : s.cells)
    for (size_t w = 0; w < kWidth; ++w) values.push_back(static_cast<float>(table[cell * kWidth + w] + plus));
  return values;
}

TEST(CriticError, TheTruthLearnedFromLinearFeaturesHasNone) {
  const Case c = make_case();
  const CriticError e = critic_error(c.samples, at_samples(c.samples, c.linear), kWidth, c.linear, nullptr);
  EXPECT_GT(e.spread, 0.5);
  EXPECT_LT(e.total, 1e-6);
  EXPECT_LT(e.representation, 1e-4);
  EXPECT_EQ(e.projection, 0);
}

TEST(CriticError, ABiasIsTheOptimisations) {
  const Case c = make_case();
  const CriticError e = critic_error(c.samples, at_samples(c.samples, c.linear, 0.25), kWidth, c.linear, nullptr);
  EXPECT_NEAR(e.total, 0.25, 1e-6);
  EXPECT_NEAR(e.optimisation, 0.25, 1e-4);
}

TEST(CriticError, WhatHCannotSayIsTheRepresentations) {
  const Case c = make_case();
  const CriticError e = critic_error(c.samples, at_samples(c.samples, c.curved), kWidth, c.curved, nullptr);
  EXPECT_LT(e.total, 1e-6);
  EXPECT_GT(e.representation, 0.1);
  EXPECT_NEAR(e.optimisation, e.representation, 1e-6);
}

TEST(CriticError, WhatTheAtomsCannotSayIsTheProjections) {
  const Case c = make_case();
  known_answers::Table clipped = c.linear;
  for (double& x : clipped) x -= 0.5;
  const CriticError e = critic_error(c.samples, at_samples(c.samples, clipped), kWidth, c.linear, &clipped);
  EXPECT_NEAR(e.projection, 0.5, 1e-9);
  EXPECT_NEAR(e.total, 0.5, 1e-6);
  EXPECT_LT(e.optimisation, 1e-4);
}

}  // namespace
}  // namespace foxhunt::trainer::test
