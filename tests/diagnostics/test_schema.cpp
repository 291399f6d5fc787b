#include <clocale>
#include <cmath>
#include <locale>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "diagnostics/json_lines.hpp"
#include "support.hpp"

namespace foxhunt::diagnostics {
namespace {

TEST(Schema, ArraysAreFoundByElement) {
  const MetricSchema& schema = small_schema();
  EXPECT_EQ(schema.size(), 5u);
  EXPECT_EQ(schema.find("x"), 1u);
  EXPECT_EQ(schema.find("hist.long"), 4u);
  EXPECT_EQ(schema.find("hist.1"), 4u);
  EXPECT_EQ(schema.find("hist"), std::nullopt) << "an array is no number";
  EXPECT_EQ(schema.find("hist.2"), std::nullopt);
  EXPECT_EQ(schema.name_of(3), "hist.short");
  EXPECT_EQ(schema.metric_of(4).name, "hist");
}

TEST(Schema, MistakesOfTheProgramAreLogicErrors) {
  EXPECT_THROW(MetricSchema({{.name = "x"}}), std::logic_error);
  EXPECT_THROW(MetricSchema({{.name = "step"}, {.name = "x"}, {.name = "x"}}), std::logic_error);
  Row one(small_schema());
  EXPECT_THROW(one.set("z", 1), std::logic_error);
  EXPECT_THROW(one.set("hist", std::vector<double>{1}), std::logic_error);
  EXPECT_TRUE(std::isnan(one.get("x"))) << "what was never set must not look like a number";
}

TEST(Schema, OfTrainingFollowsTheHeads) {
  const std::vector<std::string> actions{"short", "hold", "long"};
  const MetricSchema one = training_schema({{"c51", true, false}}, actions);
  const MetricSchema two = training_schema({{"c51", true, false}, {"dq", false, true}}, actions);
  for (const char* name : {"step",
                           "env_steps",
                           "wall_s",
                           "env_steps_per_s",
                           "l_q",
                           "l_pi",
                           "l_v",
                           "l_c51",
                           "q_pi_agree",
                           "q_pi_agree_ema",
                           "q_pi_agree_c51",
                           "entropy",
                           "action_hist.hold",
                           "hold_frac",
                           "win_rate",
                           "trades",
                           "pnl_cum_usd",
                           "pnl_peak_usd",
                           "drawdown_usd",
                           "reward_mean",
                           "reward_std",
                           "q_gap",
                           "q_gap_ema",
                           "c51_v_at_taken_ema",
                           "c51_edge_mass",
                           "v_mean",
                           "return_mean",
                           "return_std",
                           "v_explained_variance",
                           "grad_norm_encoder",
                           "weight_norm_c51",
                           "lr",
                           "nan_abort_step"})
    EXPECT_TRUE(one.find(name)) << name;
  EXPECT_FALSE(one.find("c51_v_abs"));
  EXPECT_FALSE(one.find("l_dq"));
  EXPECT_TRUE(two.find("dq_v_abs"));
  EXPECT_FALSE(two.find("dq_edge_mass"));
  for (const Metric& metric : two.metrics()) EXPECT_FALSE(metric.help.empty()) << metric.name;
  expect_all(help(two), {"action_hist[3]", "drawdown_usd", "USD"});
}

TEST(JsonLine, IsJsonWithNanAsText) {
  const std::string line = to_line(row(12, kNan, -kInf, 0.1, kInf));
  EXPECT_EQ(line, "{\"step\":12,\"x\":\"nan\",\"y\":\"-inf\",\"hist\":[0.1,\"inf\"]}\n");
  EXPECT_TRUE(nlohmann::json::accept(line));
  EXPECT_EQ(to_line(row(1000000, 1e6)).substr(0, 25), "{\"step\":1000000,\"x\":1e+06");
}

TEST(JsonLine, ReadsBackBitForBit) {
  for (const double value : {0.1, -0.0, 1e-310, 1.0 / 3, 12345678.9, kInf, -kInf}) {
    const auto fields = parse_line(to_line(row(1, value)));
    ASSERT_TRUE(fields);
    EXPECT_EQ((*fields)[1].second, value);
    EXPECT_EQ(std::signbit((*fields)[1].second), std::signbit(value));
  }
  const auto fields = parse_line(to_line(row(1, kNan)));
  EXPECT_TRUE(std::isnan((*fields)[1].second));
  EXPECT_EQ((*fields)[4].first, "hist.1");
}

TEST(JsonLine, HasItsPointInEveryLocale) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale old = std::locale::global(std::locale(std::locale::classic(), new Comma));
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  const std::string line = to_line(row(1234567, 0.5));
  const auto fields = parse_line(line);
  std::locale::global(old);
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(line.substr(0, 24), "{\"step\":1234567,\"x\":0.5,");
  EXPECT_EQ((*fields)[1].second, 0.5);
}

TEST(JsonLine, DamageIsSeen) {
  const std::string line = to_line(row(3, 1));
  EXPECT_EQ(step_of(line), 3);
  for (std::size_t length = 0; length + 2 < line.size(); ++length) {
    EXPECT_EQ(parse_line(line.substr(0, length)), std::nullopt) << length;
    EXPECT_EQ(step_of(line.substr(0, length)), std::nullopt) << length;
  }
  EXPECT_EQ(step_of("{\"step\":\"nan\"}"), std::nullopt);
  EXPECT_EQ(parse_line("[1]"), std::nullopt);
}

}  // namespace
}  // namespace foxhunt::diagnostics
