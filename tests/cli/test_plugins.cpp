#include <algorithm>

#include "support.hpp"

namespace foxhunt::test {
namespace {

TEST(CliPlugins, ListsWhatIsThereAndWhatWasRefused) {
  const Scratch s;
  fs::create_directory(s / "mine");
  write(s / "mine/broken.so", "no shared object");
  const Outcome o = foxhunt({"plugins", "--plugin-dir", "mine"}, s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  for (const char* name : {"c51", "identity", "rank_standardize", "fixed", "variance"}) EXPECT_TRUE(contains(o.out, name));
  EXPECT_TRUE(contains(o.out, "refused  mine/broken.so: "));
  EXPECT_EQ(o.err, "");
}

TEST(CliPlugins, ARefusedFileIsNamedOnceWhenTraining) {
  const Scratch s;
  fs::create_directory(s / "mine");
  write(s / "mine/broken.so", "no shared object");
  const Outcome o = foxhunt(tiny_run("run", {"--plugin-dir", "mine"}), s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  const size_t first = o.err.find("mine/broken.so is refused");
  ASSERT_NE(first, std::string::npos) << o.err;
  EXPECT_EQ(o.err.find("broken.so", first + 20), std::string::npos);
  EXPECT_TRUE(refused(foxhunt({"plugins", "broken", "--plugin-dir", "mine"}, s.folder()), "is refused"));
}

TEST(CliPlugins, NamesAreForScripts) {
  const Scratch s;
  EXPECT_EQ(foxhunt({"plugins", "--names", "reward_shaper"}, s.folder()).out, "identity\nrank_standardize\n");
  EXPECT_EQ(foxhunt({"plugins", "--names", "position_sizer"}, s.folder()).out, "fixed\nvariance\n");
  EXPECT_TRUE(contains("\n" + foxhunt({"plugins", "--names", "q_head"}, s.folder()).out, "\nc51\n"));
}

TEST(CliPlugins, EveryPluginIsDescribed) {
  const Scratch s;
  for (const char* kind : {"q_head", "reward_shaper", "position_sizer"}) {
    std::string names = foxhunt({"plugins", "--names", kind}, s.folder()).out;
    while (!names.empty()) {
      const std::string name = names.substr(0, names.find('\n'));
      names.erase(0, name.size() + 1);
      const Outcome o = foxhunt({"plugins", name}, s.folder());
      EXPECT_EQ(o.code, 0) << shown(o);
      EXPECT_TRUE(contains(o.out, kind));
      EXPECT_TRUE(contains(o.out, "\nsha256 "));
      EXPECT_TRUE(contains(o.out, "\noptions: "));
    }
  }
  const std::string c51 = foxhunt({"plugins", "c51"}, s.folder()).out;
  EXPECT_TRUE(contains(c51, "integer from 2 to 1024"));
  EXPECT_TRUE(contains(c51, "target|double|expected_sarsa"));
  EXPECT_TRUE(contains(c51, "[hidden 128, action_atom 189]"));
  EXPECT_TRUE(contains(c51, "log_probs   [batch, 9, 21]"));
  EXPECT_TRUE(contains(foxhunt({"plugins", "variance"}, s.folder()).out, "reads of risk_source: variance_q"));
}

TEST(CliPlugins, NewOnesAreFoldersOfTheirOwn) {
  const Scratch s;
  const Outcome o = foxhunt({"plugins", "new", "q_head", "duel"}, s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.out, "cmake -S . -B build -D CMAKE_PREFIX_PATH=\"/"));
  EXPECT_EQ(entries(s / "duel"), (std::set<std::string>{"CMakeLists.txt", "README.md", "duel.cpp", "duel.cu", "test.py"}));
  for (const std::string& file : entries(s / "duel")) {
    const std::string content = slurp(s / "duel" / file);
    EXPECT_TRUE(contains(content, "duel")) << file;
    EXPECT_EQ(content.find("linear_q"), std::string::npos) << file;
    EXPECT_EQ(content.find("/opt/foxhunt"), std::string::npos) << file;
  }
  EXPECT_TRUE(refused(foxhunt({"plugins", "new", "q_head", "duel"}, s.folder()), "'duel' exists"));
  EXPECT_TRUE(refused(foxhunt({"plugins", "new", "q_head", "c51"}, s.folder()), "there is a q_head 'c51' already"));
  EXPECT_TRUE(refused(foxhunt({"plugins", "new", "q_head", "Duel"}, s.folder()), "[a-z][a-z0-9_]*"));
  EXPECT_TRUE(refused(foxhunt({"plugins", "new", "q_head", "../duel"}, s.folder()), "[a-z][a-z0-9_]*"));
  EXPECT_TRUE(refused(foxhunt({"plugins", "new", "q_head", "policy"}, s.folder()), "meaning of its own"));
  EXPECT_TRUE(refused(foxhunt({"plugins", "new", "head", "duel2"}, s.folder()), "q_head"));
  EXPECT_TRUE(refused(foxhunt({"plugins", "new", "q_head"}, s.folder()), "plugins new KIND NAME"));
  EXPECT_EQ(entries(s.folder()), std::set<std::string>{"duel"});
}

TEST(CliPlugins, TheGraphShowsWhoFeedsWhom) {
  const Scratch s;
  const Outcome o = foxhunt({"plugins", "--graph", "--heads", "c51 twin:c51", "--env.rows", "8192", "--trainer.accounts", "8"}, s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.out, "digraph iteration {"));
  EXPECT_TRUE(contains(o.out, "heads/c51/learn\\n(c51)"));
  EXPECT_TRUE(contains(o.out, "heads/twin/learn\\n(twin)"));
  EXPECT_TRUE(o.out.ends_with("}\n"));
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '{'), std::count(o.out.begin(), o.out.end(), '}'));

  // The twin is a diagnostic: no edge leads from its steps to anybody else's.
  std::set<std::string> twins;
  for (size_t at = 0; (at = o.out.find("(twin)", at)) != std::string::npos; ++at) {
    const size_t begin = o.out.rfind("\n  ", at) + 3;
    twins.insert(o.out.substr(begin, o.out.find(' ', begin) - begin));
  }
  ASSERT_GE(twins.size(), 2u);
  int edges = 0;
  for (size_t at = 0; (at = o.out.find(" -> s", at)) != std::string::npos; ++at) {
    const size_t begin = o.out.rfind("\n  ", at) + 3;
    const std::string from = o.out.substr(begin, at - begin), to = o.out.substr(at + 4, o.out.find(' ', at + 4) - at - 4);
    if (from.starts_with("//")) continue;
    ++edges;
    EXPECT_TRUE(!twins.contains(from) || twins.contains(to)) << from << " -> " << to << "\n" << o.out;
  }
  EXPECT_GT(edges, 10);
}

TEST(CliPlugins, TheGraphIsValidDot) {
  const Scratch s;
  if (program({"dot", "-V"}, s.folder()).code != 0) GTEST_SKIP() << "Graphviz is not installed";
  const Outcome o = shell("\"$FOXHUNT\" plugins --graph --env.rows 8192 2>/dev/null | dot -Tsvg", s.folder());
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "</svg>"));
}

}  // namespace
}  // namespace foxhunt::test
