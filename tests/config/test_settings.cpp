#include <clocale>
#include <locale>
#include <set>

#include "support.hpp"

namespace foxhunt::config {
namespace {

const Setting kInteger{.key = "n", .type = Type::integer, .minimum = 1, .maximum = 10};
const Setting kReal{.key = "x", .type = Type::real, .minimum = 0};
const Setting kFlag{.key = "f", .type = Type::flag};
const Setting kChoice{.key = "c", .type = Type::choice, .choices = {"raw", "shaped"}};
const Setting kFile{.key = "p", .type = Type::file};
const Setting kText{.key = "t", .type = Type::text};

TEST(Settings, EqualValuesHaveEqualTexts) {
  EXPECT_EQ(canonical(kInteger, " 007 ", ""), "7");
  EXPECT_EQ(canonical(kReal, "1.0", ""), "1");
  EXPECT_EQ(canonical(kReal, "0.10000", ""), canonical(kReal, "1e-1", ""));
  for (const char* yes : {"true", "on", "yes", "1"}) EXPECT_EQ(canonical(kFlag, yes, ""), "true");
  for (const char* no : {"false", "off", "no", "0"}) EXPECT_EQ(canonical(kFlag, no, ""), "false");
  EXPECT_EQ(canonical({.type = Type::list}, " a   b ", ""), "a b");
  EXPECT_EQ(canonical(kFile, "../x.h5", "/data/runs"), "/data/x.h5");
  EXPECT_EQ(canonical(kFile, "/x.h5", "/data/runs"), "/x.h5");
  EXPECT_EQ(canonical(kFile, "", "/data/runs"), "");
  EXPECT_EQ(canonical(kFile, "x", ""), (std::filesystem::current_path() / "x").string());
}

TEST(Settings, IllTypedValuesSayWhatWasExpected) {
  for (const char* bad : {"", "0", "11", "1.5", "1e1", "five", "9223372036854775808", "1 2"})
    expect_all(message_of([&] { canonical(kInteger, bad, ""); }), {"an integer from 1 to 10", bad});
  for (const char* bad : {"", "-1", "nan", "inf", "1,5", "1.5x", "1e999"})
    expect_all(message_of([&] { canonical(kReal, bad, ""); }), {"a number of at least 0", bad});
  expect_all(message_of([] { canonical(kFlag, "maybe", ""); }), {"true or false", "maybe"});
  expect_all(message_of([] { canonical(kChoice, "shpaed", ""); }), {"raw, shaped", "did you mean 'shaped'"});
  // An INI file cannot hold these.
  expect_all(message_of([] { canonical(kText, "a#b", ""); }), {"'#'"});
  expect_all(message_of([] { canonical(kFile, "a\nb = c", ""); }), {"line break"});
}

TEST(Settings, NumbersAreReadTheSameInEveryLocale) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const std::locale old = std::locale::global(std::locale(std::locale::classic(), new Comma));
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  const Config config = of_text("[policy]\ngamma = 0.125\n");
  const std::string resolved = config.resolved();
  std::locale::global(old);
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(config.real("policy.gamma"), 0.125);
  EXPECT_NE(resolved.find("\ngamma = 0.125 "), std::string::npos);
  EXPECT_NE(resolved.find("\nlambda = 0.95 "), std::string::npos);
}

TEST(Settings, DevicesHaveTheirForm) {
  for (const char* good : {"auto", "cpu", "cuda", "cuda:0", "cuda:12"})
    EXPECT_EQ(of_text(text("[trainer]\ndevice = ", good)).text("trainer.device"), good);
  for (const char* bad : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:0x", ""})
    expect_all(message_of([&] { of_text(text("[trainer]\ndevice = ", bad)); }),
               {"test.ini:2", "auto, cpu, cuda, cuda:N"});
}

TEST(Table, EveryRowIsWhole) {
  std::set<std::string> keys;
  for (const Setting& row : table()) {
    EXPECT_TRUE(keys.insert(row.key).second) << row.key << " twice";
    EXPECT_FALSE(row.help.empty()) << row.key;
    EXPECT_FALSE(row.source.empty()) << row.key;
    EXPECT_NO_THROW(canonical(row, row.initial, "")) << row.key << ": the default breaks its own rules";
    EXPECT_EQ(row.help.find('\n'), std::string::npos) << row.key;
  }
  // Names that scripts rely on.
  for (const char* key : {"trainer.device",
                          "trainer.threads",
                          "trainer.accounts",
                          "trainer.horizon",
                          "trainer.iterations",
                          "trainer.seed",
                          "trainer.replicas",
                          "trainer.checkpoint_every",
                          "env.source",
                          "env.path",
                          "env.latency",
                          "env.fee_maker",
                          "env.fee_taker",
                          "encoder.kind",
                          "heads",
                          "ensemble",
                          "value_baseline",
                          "risk_source",
                          "reward_shaping.plugin",
                          "position_sizing.plugin",
                          "policy.source",
                          "replay.kind",
                          "replay.capacity",
                          "replay.updates",
                          "replay.batch"})
    EXPECT_EQ(keys.count(key), 1u) << key;
  for (const Setting& row : gate_table()) EXPECT_NO_THROW(canonical(row, row.initial, "")) << row.key;
}

TEST(Table, TopLevelKeysAndReservedNames) {
  for (const char* key : {"heads", "ensemble", "value_baseline", "risk_source"})
    EXPECT_TRUE(is_top_level(key));
  for (const char* key : {"trainer", "trainer.seed", "base", "resume", ""})
    EXPECT_FALSE(is_top_level(key)) << key;
  for (const char* name : {"trainer", "q", "gate", "heads", "scalar", "pi"})
    EXPECT_TRUE(is_reserved(name)) << name;
  for (const char* name : {"c51", "twin", "train", "tr", "qq"}) EXPECT_FALSE(is_reserved(name)) << name;
}

TEST(Help, ListsEveryDefaultWithItsSource) {
  const std::string all = help();
  for (const Setting& row : table()) {
    const std::string name = row.key.substr(row.key.rfind('.') + 1);
    EXPECT_NE(all.find(text("\n  ", name, " ")), std::string::npos) << row.key;
  }
  expect_all(all, {"[trainer]\n", "[position_sizing]\n", "Schulman et al. 2017", "gate.NAME",
                   "gate.nan_abort.metric=all"});
  expect_all(help(test_plugins(Kind::q_head, "c51"), "c51."),
             {"[c51]", "atoms", "integer from 2 to 512", "target|double"});
}

}  // namespace
}  // namespace foxhunt::config
