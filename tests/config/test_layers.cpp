#include "support.hpp"

namespace foxhunt::config {
namespace {

std::vector<std::pair<std::string, std::string>> pairs(const Layer& layer) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const Assignment& a : layer) result.emplace_back(a.key, a.value);
  return result;
}
using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Ini, KeysValuesAndLines) {
  const Layer layer = parse_text(
      "\xef\xbb\xbf# comment\r\n"
      "heads = c51 twin:c51   # two\r\n"
      "\r\n"
      "[trainer]\r\n"
      "; another comment = with an equals sign\r\n"
      "  accounts=64\r\n"
      "device = cuda:0\r\n"
      "[gate.calm]\n"
      "value = a = b\n"
      "[env]\n"
      "path =",
      "x.ini");
  EXPECT_EQ(pairs(layer), (Pairs{{"heads", "c51 twin:c51"},
                                 {"trainer.accounts", "64"},
                                 {"trainer.device", "cuda:0"},
                                 {"gate.calm.value", "a = b"},
                                 {"env.path", ""}}));
  EXPECT_EQ(layer[0].origin.str(), "x.ini:2");
  EXPECT_EQ(layer[1].origin.str(), "x.ini:6");
  EXPECT_EQ(layer[3].origin.str(), "x.ini:9");
  EXPECT_EQ(layer[4].origin.str(), "x.ini:11");
}

TEST(Ini, EmptyTextIsFine) { EXPECT_TRUE(parse_text("", "x.ini").empty()); }

TEST(Ini, SyntaxErrorsNameTheLine) {
  expect_all(message_of([] { parse_text("heads = c51\n\n[trainer]\naccounts 64\n", "x.ini"); }),
             {"x.ini:4", "accounts 64", "key = value"});
  expect_all(message_of([] { parse_text("\n[]\na=1\n", "x.ini"); }), {"x.ini:2", "section without a name"});
  expect_all(message_of([] { parse_text("[trainer\naccounts = 1", "x.ini"); }), {"x.ini:1", "[trainer"});
  expect_all(message_of([] { parse_text("[trainer]\nseed=1\naccounts=1\n\n[trainer]\nseed=2", "x.ini"); }),
             {"x.ini:6", "trainer.seed", "line 2"});
}

TEST(Ini, RubbishIsRefusedBeforeItIsParsed) {
  expect_all(message_of([] { parse_text(std::string("a = 1\nb = \0x", 11), "x.ini"); }),
             {"x.ini:2", "\\x00"});
  expect_all(message_of([] {
               parse_text(
                   "\x7f"
                   "ELF\x02\x01\x01",
                   "x.ini");
             }),
             {"x.ini:1", "\\x7f"});
  expect_all(message_of([] { parse_text("a=1\n" + std::string(20000, 'x'), "x.ini"); }),
             {"x.ini:2", "16384 bytes"});
  expect_all(message_of([] { parse_text(std::string(3 << 20, '\n'), "x.ini"); }), {"x.ini", "1048576 bytes"});
}

TEST_F(ConfigFiles, ALineOfTenMegabytesIsOneClearError) {
  const auto path = file("long.ini", "[trainer]\naccounts = " + std::string(10 << 20, '1'));
  expect_all(message_of([&] { read_layers({path}); }), {"long.ini:2", "16384 bytes"});
  // No end at all: memory stays bounded.
  expect_all(message_of([] { read_layers({"/dev/zero"}); }), {"/dev/zero:1"});
}

TEST_F(ConfigFiles, BasesComeFirstAndAreRelativeToTheirFile) {
  file("base/common.ini", "[trainer]\nseed = 1\n");
  file("base/agent.ini", "base = common.ini\n[trainer]\nseed = 2\n");
  const auto top = file("run.ini", "base = base/agent.ini\n[trainer]\nseed = 3\n");
  const auto second = file("more.ini", "[trainer]\nseed = 4\n");
  const std::vector<Layer> layers = read_layers({top, second});
  ASSERT_EQ(layers.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(pairs(layers[i]), (Pairs{{"trainer.seed", text(i + 1)}}));
  EXPECT_EQ(layers[0][0].origin.str(), text(folder / "base" / "common.ini", ":2"));
  EXPECT_EQ(layers[0][0].origin.folder, folder / "base");
}

TEST_F(ConfigFiles, OneBaseMayServeTwoFiles) {
  file("common.ini", "[trainer]\nseed = 1\n");
  const auto a = file("a.ini", "base = common.ini\n"), b = file("b.ini", "base = common.ini\n");
  EXPECT_EQ(read_layers({a, b}).size(), 4u);
}

TEST_F(ConfigFiles, CirclesAreRefused) {
  const auto a = file("a.ini", "base = b.ini\n");
  file("b.ini", "\nbase = a.ini\n");
  expect_all(message_of([&] { read_layers({a}); }), {"b.ini:2", "circle", "a.ini -> ", "b.ini -> "});
  const auto self = file("self.ini", "base = ./self.ini");
  expect_all(message_of([&] { read_layers({self}); }), {"self.ini:1", "circle"});
}

TEST_F(ConfigFiles, MissingFilesNameWhoAskedForThem) {
  const auto a = file("a.ini", "# x\nbase = none.ini\n");
  expect_all(message_of([&] { read_layers({a}); }), {"a.ini:2", "none.ini", "No such file"});
  expect_all(message_of([&] { read_layers({folder}); }), {"is a folder"});
  expect_all(message_of([&] { read_layers({file("e.ini", "base =")}); }), {"e.ini:1", "base"});
  expect_all(message_of([] { parse_text("base = a.ini", "meta"); }), {"meta:1", "only a file"});
}

TEST(CommandLine, TakesSettingsAndLeavesTheRest) {
  const CommandLine line =
      take_settings({"run.ini", "--trainer.seed", "7", "--resume", "--c51.v_min=-2.5", "--policy.lr", "-1",
                     "--heads", "c51 twin:c51", "-j4", "--out=x", "--env.path=", "--", "last"});
  EXPECT_EQ(pairs(line.settings), (Pairs{{"trainer.seed", "7"},
                                         {"c51.v_min", "-2.5"},
                                         {"policy.lr", "-1"},
                                         {"heads", "c51 twin:c51"},
                                         {"env.path", ""}}));
  EXPECT_EQ(line.rest, (std::vector<std::string>{"run.ini", "--resume", "-j4", "--out=x", "--", "last"}));
  EXPECT_EQ(line.settings[0].origin.str(), "command line");
  EXPECT_EQ(take_settings({}).settings.size(), 0u);
}

TEST(CommandLine, AMissingValueIsNamed) {
  expect_all(message_of([] { take_settings({"--trainer.seed"}); }), {"--trainer.seed", "no value"});
  expect_all(message_of([] { take_settings({"--heads", "--resume"}); }), {"--heads", "no value"});
}

TEST(CommandLine, TheLastOfTwoWins) {
  EXPECT_EQ(assemble({typed({"--trainer.seed=1", "--trainer.seed=2"})}, test_plugins).integer("trainer.seed"),
            2);
}

}  // namespace
}  // namespace foxhunt::config
