#include <sstream>

#include "config/settings.hpp"
#include "support.hpp"

namespace foxhunt::test {
namespace {

/// Names in the list of `foxhunt help`, which ends at an empty line.
std::vector<std::string> listed_commands(const fs::path& folder) {
  std::istringstream lines(foxhunt({"help"}, folder).out);
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (inside && line.empty()) break;
    if (inside) names.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Commands:") inside = true;
  }
  return names;
}

TEST(CliHelp, EveryListedCommandHasHelp) {
  const Scratch s;
  const auto names = listed_commands(s.folder());
  const std::set<std::string> all(names.begin(), names.end());
  for (const char* name : {"train", "eval", "plugins", "inspect", "diff", "import", "generate", "market", "compile", "cache", "probe", "doctor", "help"})
    EXPECT_TRUE(all.contains(name)) << name;
  for (const std::string& name : names) {
    if (name == "help") continue;
    const Outcome o = foxhunt({name, "--help"}, s.folder());
    EXPECT_EQ(o.code, 0) << name << shown(o);
    EXPECT_TRUE(o.out.starts_with("Usage: foxhunt " + name)) << o.out;
    EXPECT_TRUE(contains(o.out, "\nOptions:\n"));
    EXPECT_EQ(o.err, "") << name;
    EXPECT_TRUE(contains(foxhunt({"help", name}, s.folder()).out, "Usage: foxhunt " + name));
  }
}

TEST(CliHelp, ThreeWaysToAskGiveTheSame) {
  const Scratch s;
  const std::string text = foxhunt({"help"}, s.folder()).out;
  EXPECT_EQ(foxhunt({}, s.folder()).out, text);
  EXPECT_EQ(foxhunt({"--help"}, s.folder()).out, text);
  EXPECT_TRUE(contains(foxhunt({"--version"}, s.folder()).out, "foxhunt 0."));
}

TEST(CliHelp, TrainShowsEverySettingWithItsDefault) {
  const Scratch s;
  const Outcome o = foxhunt({"train", "--help"}, s.folder());
  ASSERT_EQ(o.code, 0);
  std::string section;
  for (const config::Setting& setting : config::table()) {
    const auto dot = setting.key.rfind('.');
    const std::string here = dot == std::string::npos ? "" : "[" + setting.key.substr(0, dot) + "]\n";
    const size_t begin = o.out.find(here.empty() ? "top level" : here);
    ASSERT_NE(begin, std::string::npos) << here;
    const std::string row = "\n  " + setting.key.substr(dot + 1) + " ";
    const size_t at = o.out.find(row, begin);
    ASSERT_NE(at, std::string::npos) << setting.key;
    const std::string line = o.out.substr(at + 1, o.out.find('\n', at + 1) - at - 1);
    EXPECT_TRUE(contains(line, setting.initial.empty() ? "(empty)" : setting.initial));
    EXPECT_TRUE(contains(line, setting.help));
    EXPECT_TRUE(contains(line, "(" + setting.source + ")"));
  }
  EXPECT_TRUE(contains(o.out, "gate.NAME"));
}

TEST(CliHelp, TrainShowsTheOptionsOfTheChosenPlugins) {
  const Scratch s;
  EXPECT_TRUE(contains(foxhunt({"train", "--help"}, s.folder()).out, "[c51]\n  atoms"));
  write(s / "two.ini", "heads = c51 twin:c51\n[reward_shaping]\nplugin = rank_standardize\n");
  const Outcome o = foxhunt({"train", "two.ini", "--help"}, s.folder());
  EXPECT_TRUE(contains(o.out, "[twin]\n  atoms"));
  EXPECT_TRUE(contains(o.out, "rank_over"));
  // A plugin that is not there is no reason to show no help.
  const Outcome without = foxhunt({"train", "--heads", "nothere", "--help"}, s.folder());
  EXPECT_EQ(without.code, 0);
  EXPECT_TRUE(contains(without.out, "Options of plugins are not shown: "));
  EXPECT_TRUE(contains(without.out, "[trainer]"));
}

struct Misuse {
  Arguments arguments;
  const char* message;
};

TEST(CliHelp, MisuseIsNamedWithWhatWasMeant) {
  const Scratch s;
  const Misuse all[] = {
      {{"trian"}, "did you mean `foxhunt train`?"},
      {{"xyzzy"}, "`foxhunt help` lists all commands"},
      {{""}, "unknown command ''"},
      {{"--trainer.accounts", "3"}, "stands where a command is expected"},
      {{"help", "difff"}, "did you mean `foxhunt diff`?"},
      {{"train", "--rnu", "x"}, "did you mean --run?"},
      {{"train", "--accounts", "3"}, "did you mean --trainer.accounts or --eval.accounts?"},
      {{"train", "--iteratoins", "3"}, "did you mean --trainer.iterations?"},
      {{"train", "--head", "c51"}, "did you mean --heads?"},
      {{"train", "--trainer.acounts", "3"}, "did you mean 'trainer.accounts'?"},
      {{"train", "--trainer.accounts", "many"}, "trainer.accounts: expected an integer"},
      {{"train", "--trainer.accounts"}, "has no value"},
      {{"train", "--run"}, "--run has no value; write --run FOLDER"},
      {{"train", "--run", "a", "--run", "b"}, "given twice"},
      {{"train", "--quiet=yes"}, "takes no value"},
      {{"train", "--resume", "a", "--run", "b"}, "cannot go together"},
      {{"train", "--heads", "c52"}, "did you mean 'c51'?"},
      {{"inspect"}, "needs an HDF5 file or a run folder"},
      {{"inspect", "--trainer.accounts", "3", "x"}, "takes no settings"},
      {{"diff", "a"}, "two files or run folders"},
      {{"diff", "a", "b", "c"}, "'c' is one too many"},
      {{"diff", "a", "b", "--tolerance", "wide"}, "expected a number above 0"},
      {{"import", "dbn", "x"}, "needs --output"},
      {{"import", "lobster", "x", "-o", "y"}, "expected dbn"},
      {{"import", "dbn", "x", "-o", "y", "--levels", "0"}, "--levels is '0', expected an integer from 1 to 64"},
      {{"generate", "plantde", "-o", "y"}, "expected planted or synthetic"},
      {{"generate", "planted", "-o", "y", "--rows", "1"}, "env.rows"},
      {{"generate", "planted", "-o", "y", "--trainer.seed", "1"}, "says nothing about a generated market"},
      {{"eval", "x", "--part", "train"}, "expected test or validation"},
      {{"plugins", "c52"}, "did you mean 'c51'?"},
      {{"plugins", "--names", "heads"}, "expected q_head, reward_shaper or position_sizer"},
      {{"plugins", "c51", "--trainer.accounts", "3"}, "settings have a meaning with --graph alone"},
      {{"plugins", "--plugin-dir", "nothere"}, "does not exist"},
      {{"compile", "--arch", "pentium"}, "target 'pentium' is unknown"},
      {{"cache", "empty"}, "`foxhunt cache clear`"},
      {{"doctor", "now"}, "'now' is one too many"},
  };
  for (const Misuse& m : all) {
    std::string words;
    for (const std::string& a : m.arguments) words += a + " ";
    EXPECT_TRUE(refused(foxhunt(m.arguments, s.folder()), m.message)) << words;
  }
  EXPECT_EQ(entries(s.folder()), std::set<std::string>()) << "misuse left something behind";
}

}  // namespace
}  // namespace foxhunt::test
