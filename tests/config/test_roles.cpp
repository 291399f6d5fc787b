#include "support.hpp"

namespace foxhunt::config {
namespace {

const std::vector<HeadInstance> kHeads{{"c51", "c51"}, {"twin", "c51"}, {"iqn", "iqn"}};

TEST(Heads, NamesAndPlugins) {
  EXPECT_EQ(parse_heads(" c51  twin:c51 iqn"), kHeads);
  expect_all(message_of([] { parse_heads(""); }), {"at least one"});
  expect_all(message_of([] { parse_heads("c51 c51"); }), {"two heads", "c51", "twin:c51"});
  for (const char* bad : {"C51", "5", "a:", ":a", "a:b:c", "a-b", "a.b"})
    expect_all(message_of([&] { parse_heads(bad); }), {"name:plugin", bad});
  for (const char* taken : {"trainer:c51", "q:c51", "gate:c51", "scalar:c51"})
    expect_all(message_of([&] { parse_heads(taken); }), {"meaning of its own"});
  expect_all(message_of([] { parse_heads(std::string(48, 'a')); }), {"47"});
}

TEST(Ensemble, Weights) {
  using Weighted = std::vector<WeightedHead>;
  EXPECT_EQ(parse_ensemble("", kHeads), (Weighted{{"c51", 1}}));
  EXPECT_EQ(parse_ensemble("c51:0.25 iqn:0.75", kHeads), (Weighted{{"c51", 0.25}, {"iqn", 0.75}}));
  EXPECT_EQ(parse_ensemble("c51 iqn", kHeads), (Weighted{{"c51", 0.5}, {"iqn", 0.5}}));
  EXPECT_EQ(parse_ensemble("c51:0 iqn:2", kHeads), (Weighted{{"c51", 0}, {"iqn", 2}}));
  expect_all(message_of([] { parse_ensemble("c52", kHeads); }), {"'c52'", "c51, twin, iqn"});
  expect_all(message_of([] { parse_ensemble("c51 iqn:0.5", kHeads); }), {"every head or for none"});
  expect_all(message_of([] { parse_ensemble("c51:0.5 c51:0.5", kHeads); }), {"twice"});
  for (const char* bad : {"c51:-1", "c51:x", "c51:", "c51:nan", "c51:0.5x"})
    expect_all(message_of([&] { parse_ensemble(bad, kHeads); }), {"weight of at least 0", bad});
  expect_all(message_of([] { parse_ensemble("c51:0", kHeads); }), {"sum above 0"});
}

TEST(Baseline, ThreeForms) {
  using enum ValueBaseline::Kind;
  EXPECT_EQ(parse_value_baseline("scalar", kHeads), (ValueBaseline{}));
  EXPECT_EQ(parse_value_baseline("iqn", kHeads), (ValueBaseline{head, "iqn"}));
  EXPECT_EQ(parse_value_baseline("blend( scalar , iqn,100, 2000 )", kHeads),
            (ValueBaseline{blend, "iqn", 100, 2000}));
  expect_all(message_of([] { parse_value_baseline("iqm", kHeads); }), {"'iqm'", "c51, twin, iqn"});
  expect_all(message_of([] { parse_value_baseline("blend(scalar, iqm, 0, 1)", kHeads); }), {"'iqm'"});
  for (const char* bad :
       {"", "blend", "blend(", "blend)", "blend()", "blend(scalar, iqn, 5, 5)", "blend(scalar, iqn, -1, 5)",
        "blend(scalar, iqn, 1)", "blend(iqn, scalar, 0, 1)", "blend(scalar, iqn, 0, 1) x",
        "blend(scalar, iqn, 0, 1.5)", "blendx(scalar, iqn, 0, 1)"})
    EXPECT_NE(message_of([&] { parse_value_baseline(bad, kHeads); }), "") << bad;
}

TEST(RiskSource, IsAHead) {
  EXPECT_EQ(parse_risk_source("", kHeads), "c51");
  EXPECT_EQ(parse_risk_source("iqn", kHeads), "iqn");
  expect_all(message_of([] { parse_risk_source("scalar", kHeads); }), {"'scalar'"});
}

}  // namespace
}  // namespace foxhunt::config
