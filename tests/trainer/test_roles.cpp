// What heads are used for, and what they must offer for it.
#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

std::string refusal(const Settings& more) {
  return error_of([&] { Blueprint(config_of(more), registry()); });
}

TEST(Roles, AHeadOfTheEnsembleOffersExpectedQ) {
  expect_all(refusal({{"heads", "c51 values"}, {"ensemble", "c51:0.5 values:0.5"}}), {"head 'values'", "ensemble", "offers no expected_q"});
}

TEST(Roles, AValueBaselineOffersStateValue) {
  expect_all(refusal({{"value_baseline", "c51"}}), {"value_baseline", "'c51'", "offers no state_value", "value_baseline = scalar"});
  Trained t({{"heads", "c51 values"}, {"ensemble", "c51"}, {"value_baseline", "values"}});
  EXPECT_TRUE(t.session.agent().heads()[1]->roles().value_baseline);
  EXPECT_FALSE(t.session.agent().heads()[1]->roles().diagnostic());
  t.run(2);
}


TEST(Roles, ARiskSourceOffersWhatTheSizerNeeds) {
  expect_all(refusal({{"heads", "c51 values"}, {"ensemble", "c51"}, {"risk_source", "values"}, {"position_sizing.plugin", "variance"}}),
             {"position_sizing.plugin = variance", "variance_q", "risk_source = values", "another head"});
  // A sizer that needs nothing makes nobody a risk source.
  Trained t({{"heads", "c51 values"}, {"ensemble", "c51"}, {"risk_source", "values"}});
  EXPECT_EQ(t.session.agent().risk_head(), nullptr);
  EXPECT_TRUE(t.session.agent().heads()[1]->roles().diagnostic());
}

TEST(Controllers, StartAtTheirDeclaredValuesWhateverTheirType) {
  Trained t({{"heads", "c51 values"}, {"ensemble", "c51"}, {"reward_shaping.plugin", "times"}});
  const std::string at = "/heads/values/controllers/";
  EXPECT_EQ(t.get<float>(at + "f32"), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(t.get<double>(at + "f64"), (std::vector<double>{-0.1, -0.1}));
  EXPECT_EQ(t.get<int32_t>(at + "i32"), (std::vector<int32_t>{-7, -7}));
  EXPECT_EQ(t.get<uint32_t>(at + "u32"), (std::vector<uint32_t>{4000000000u, 4000000000u}));
  EXPECT_EQ(t.get<int64_t>(at + "i64"), (std::vector<int64_t>{-5000000000, -5000000000}));
  EXPECT_EQ(t.get<uint64_t>(at + "u64"), (std::vector<uint64_t>{5000000000u, 5000000000u}));
  EXPECT_EQ(t.get<uint8_t>(at + "u8"), (std::vector<uint8_t>{200, 200}));
  EXPECT_EQ(t.get<float>("/controllers/reward_shaping/factor"), std::vector<float>{2.5f});
  t.run(1);
  const auto series = t.get<float>("rollout/series"), shaped = t.get<float>("rollout/shaped");
  int traded = 0;
  for (size_t i = 0; i < shaped.size(); ++i) {
    EXPECT_FLOAT_EQ(shaped[i], 2.5f * series[i]);
    traded += shaped[i] != 0;
  }
  EXPECT_GT(traded, 5);
}

TEST(Policy, SeesRawOrShapedRewardsAsAsked) {
  // Twelve times the reward gives other returns to the value only where the policy sees it.
  const auto returns = [](const char* reward, const char* shaper) {
    Trained t({{"reward_shaping.plugin", shaper}, {"policy.reward", reward}});
    const diagnostics::Row row = t.run(1);
    return std::pair{row.get("return_std"), row.get("reward_shaped_std")};
  };
  const auto plain = returns("raw", "identity"), raw = returns("raw", "times"), shaped = returns("shaped", "times");
  EXPECT_EQ(plain.first, raw.first);
  EXPECT_NE(plain.first, shaped.first);
  EXPECT_NEAR(raw.second, 2.5 * plain.second, 1e-5 * raw.second);
}

}  // namespace
}  // namespace foxhunt::trainer::test
