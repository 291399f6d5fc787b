#include "dbn_bytes.hpp"
#include "market/dbn_definition.hpp"

namespace foxhunt::market::test {
namespace {

TEST(Definition, VendorFile) {
  FOXHUNT_DATA(path, "definition-glbx-es-fut.dbn.zst");
  const auto all = read_definitions(path);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].symbol, "ESM3");
  EXPECT_EQ(all[0].id, 95414u);
  EXPECT_EQ(all[0].asset, "ES");
  EXPECT_EQ(all[0].currency, "USD");
  EXPECT_EQ(all[0].tick, 250'000'000);
  EXPECT_EQ(all[0].multiplier, 50'000'000'000);
}

TEST(Definition, EveryVersionsLayout) {
  const Scratch s;
  for (int version = 1; version <= 3; ++version) {
    const auto path = s.file(
        "d", dbn_head(version, 9, {{"NQH4", 9}}) + definition(version, 9, "NQH4", "NQ", px(0.25), px(20)));
    const auto all = read_definitions(path);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].symbol, "NQH4");
    EXPECT_EQ(all[0].asset, "NQ");
    EXPECT_EQ(all[0].currency, "USD");
    EXPECT_EQ(all[0].tick, px(0.25));
    EXPECT_EQ(all[0].multiplier, px(20));
  }
}

TEST(Definition, Choice) {
  const std::vector<Definition> all = {{1, "ESH4", "ES", "USD", px(0.25), px(50)},
                                       {2, "NQH4", "NQ", "USD", px(0.25), px(20)},
                                       {3, "ESM4", "ES", "USD", px(0.25), px(50)},
                                       {4, "NQH4", "NQ", "USD", px(0.5), px(20)}};
  std::string note;
  EXPECT_EQ(choose_definition(all, 1, "ESH4", "f", note).id, 1u);
  EXPECT_EQ(choose_definition(all, 9, "ESM4", "f", note).id, 3u);
  EXPECT_EQ(note, "");
  EXPECT_EQ(choose_definition(all, 9, "ESZ4", "f", note).multiplier, px(50));
  EXPECT_TRUE(contains(note, "ESH4"));
  EXPECT_EQ(choose_definition(all, 2, "NQH4", "f", note).tick, px(0.25));  // number and symbol
  EXPECT_TRUE(contains(error_of([&] { choose_definition(all, 9, "NQH4", "f", note); }), "disagree"));
  EXPECT_TRUE(
      contains(error_of([&] { choose_definition(all, 9, "CLH4", "f", note); }), "no definition for CLH4"));
  EXPECT_TRUE(
      contains(error_of([&] { choose_definition(all, 9, "ESGH4", "f", note); }), "no definition for ESGH4"));
}

TEST(Definition, OtherSchemasAreRefused) {
  const Scratch s;
  const auto path = s.file("x", dbn_head(1, 0, {{"ESH4", 7}}) + mbo({.id = 1}));
  EXPECT_TRUE(contains(error_of([&] { read_definitions(path); }), "no instrument definition"));
}

}  // namespace
}  // namespace foxhunt::market::test
