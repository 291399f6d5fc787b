#include <foxhunt/checkpoints/reader.hpp>
#include <foxhunt/checkpoints/writer.hpp>

#include "support.hpp"

namespace foxhunt::test {
namespace {

std::string commit(const fs::path& folder) {
  const std::string text = foxhunt({"--version"}, folder).out;  // "foxhunt 0.1.0 (commit HASH, g++ …)"
  const size_t begin = text.find("commit ") + 7;
  return text.substr(begin, text.find(',', begin) - begin);
}

std::string sha256(const std::string& plugin, const fs::path& folder) {
  const std::string text = foxhunt({"plugins", plugin}, folder).out;
  const size_t begin = text.find_first_not_of(' ', text.find("\nsha256") + 7);
  return text.substr(begin, 64);
}

// Puts another configuration into a checkpoint.
void rewrite_config(const fs::path& path, const std::string& config) {
  checkpoints::Checkpoint content;
  std::vector<std::vector<std::byte>> values;
  {
    const checkpoints::Reader file(path);
    content.meta = file.meta();
    content.meta["config"] = config;
    std::vector<checkpoints::TensorView> views;
    for (const checkpoints::TensorSpec& spec : file.tensors()) {
      values.emplace_back(spec.bytes());
      views.push_back({spec, values.back()});
    }
    file.load(views);
    content.tensors.assign(views.begin(), views.end());
  }
  checkpoints::write_checkpoint(path, content);
}

TEST(CliTrain, StartsOnlyFromTheExpectedCommit) {
  const Scratch s;
  const std::string found = commit(s.folder());
  const Outcome other = foxhunt(tiny_run("run", {"--expect-commit", "0123456789abcdef"}), s.folder());
  EXPECT_TRUE(refused(other, "built from commit " + found));
  EXPECT_TRUE(refused(foxhunt(tiny_run("run", {"--expect-commit", found.substr(0, 3)}), s.folder()), "--expect-commit"))
      << "a hash of 3 digits names no commit";
  const std::string dirty = found.ends_with("-dirty") ? found.substr(0, found.size() - 6) : found + "-dirty";
  EXPECT_TRUE(refused(foxhunt(tiny_run("run", {"--expect-commit", dirty}), s.folder()), found));
  EXPECT_EQ(entries(s.folder()), std::set<std::string>());
  if (found.starts_with("unknown")) GTEST_SKIP() << "built without git";
  EXPECT_EQ(foxhunt(tiny_run("run", {"--expect-commit", found}), s.folder()).code, 0);
}

TEST(CliTrain, StartsOnlyWithTheExpectedPlugins) {
  const Scratch s;
  const std::string c51 = sha256("c51", s.folder()), identity = sha256("identity", s.folder());
  ASSERT_EQ(c51.find_first_not_of("0123456789abcdef"), std::string::npos) << c51;
  const auto expecting = [&](const std::string& list) { return foxhunt(tiny_run("run", {"--expect-plugins", list}), s.folder()); };
  EXPECT_TRUE(refused(expecting("c51=0123456789"), "has SHA-256 " + c51));
  EXPECT_TRUE(refused(expecting("c51=" + c51 + ",variance=" + c51), "'variance', which this run does not use"));
  EXPECT_TRUE(refused(expecting("c51"), "is not NAME=SHA256"));
  EXPECT_TRUE(refused(expecting("c51="), "c51=" + c51));
  EXPECT_EQ(entries(s.folder()), std::set<std::string>());
  EXPECT_EQ(expecting("c51=" + c51 + ",identity=" + identity.substr(0, 12)).code, 0);
}

TEST(CliTrain, RunFoldersAreNumberedAfterTheConfig) {
  const Scratch s;
  write(s / "small.ini", "[trainer]\ndevice = cpu\niterations = 1\naccounts = 8\n[env]\nrows = 4096\n[replay]\nstart = 64\ncapacity = 512\n");
  ASSERT_EQ(foxhunt({"train", "small.ini"}, s.folder()).code, 0);
  ASSERT_EQ(foxhunt({"train", "small.ini"}, s.folder()).code, 0);
  EXPECT_EQ(entries(s / "runs"), (std::set<std::string>{"small-0001", "small-0002"}));
}

TEST(CliTrain, ResumeTakesTheRunsOwnConfig) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("run", {"--c51.atoms", "11"}), s.folder()).code, 0);
  const Outcome o = foxhunt({"train", "--resume", "run", "--trainer.iterations", "4"}, s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.err, "at iteration 2"));
  EXPECT_EQ(comparable_rows(s / "run").size(), 4u);
  const checkpoints::Reader file(latest(s / "run"));
  EXPECT_EQ(file.integer("step"), 4);
  EXPECT_TRUE(contains(file.text("config"), "atoms = 11"));
  EXPECT_TRUE(contains(slurp(s / "run/config.ini"), "\niterations = 4 ")) << "the next --resume asks for as many";
}

TEST(CliTrain, ResumeRefusesWhatChangesTheComputation) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder()).code, 0);
  const std::string before = slurp(latest(s / "run"));
  EXPECT_TRUE(refused(foxhunt({"train", "--resume", "run", "--policy.gamma", "0.5"}, s.folder()), "gamma = 0.5"));
  EXPECT_TRUE(refused(foxhunt({"train", "--resume", "nothere"}, s.folder()), "holds no config.ini"));
  EXPECT_EQ(slurp(latest(s / "run")), before);
}

TEST(CliTrain, InitFromTakesOverWeightsAndNamesTheOthers) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("a"), s.folder()).code, 0);
  const Outcome o = foxhunt(tiny_run("b", {"--init-from", "a", "--c51.atoms", "11"}), s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.err, "/heads/c51/online/w"));
  EXPECT_TRUE(refused(foxhunt(tiny_run("c", {"--init-from", "nothere.h5"}), s.folder()), "there is no nothere.h5"));
}

// Heads, shapers and sizers are changed without building anything: program and plugins stay the same files.
TEST(CliTrain, PartsAreSwappedByCommandLineAlone) {
  const Scratch s;
  const auto files = [] {
    std::map<std::string, std::string> all{{"program", slurp(FOXHUNT_PROGRAM)}};
    for (const auto& entry : fs::directory_iterator(FOXHUNT_PLUGINS)) all[entry.path().filename().string()] = slurp(entry.path());
    return all;
  };
  const auto before = files();
  ASSERT_GE(before.size(), 6u);
  const std::string shaper = sha256("rank_standardize", s.folder()), sizer = sha256("variance", s.folder());

  ASSERT_EQ(foxhunt(tiny_run("a"), s.folder()).code, 0);
  const Outcome o = foxhunt(tiny_run("b", {"--reward_shaping.plugin", "rank_standardize", "--position_sizing.plugin", "variance",
                                           "--c51.select", "expected_sarsa", "--c51.atoms", "31"}),
                            s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(files() == before);

  const checkpoints::Reader a(latest(s / "a")), b(latest(s / "b"));
  EXPECT_EQ(a.text("commit"), b.text("commit"));
  const auto& used = b.list("plugins");
  const auto holds = [&](const std::string& part) {
    for (const std::string& line : used)
      if (line.find(part) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(holds("rank_standardize")) << used[0];
  EXPECT_TRUE(holds(shaper)) << "the checkpoint names the shaper's file by its hash";
  EXPECT_TRUE(holds(sizer));
  EXPECT_EQ(a.find("/heads/c51/online/b")->shape, (std::vector<std::uint64_t>{9 * 21}));
  EXPECT_EQ(b.find("/heads/c51/online/b")->shape, (std::vector<std::uint64_t>{9 * 31}));
  EXPECT_NE(a.read<float>("/policy/online/w"), b.read<float>("/policy/online/w"));
}

TEST(CliTrain, ASettingOfAReplacedPluginIsDroppedWithANote) {
  const Scratch s;
  write(s / "shaped.ini", "[reward_shaping]\nplugin = rank_standardize\nrank_over = nonzero\n");
  Arguments a = tiny_run("run", {"shaped.ini", "--reward_shaping.plugin", "identity"});
  const Outcome o = foxhunt(a, s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  const size_t first = o.err.find("reward_shaping.rank_over is not used");
  ASSERT_NE(first, std::string::npos) << o.err;
  EXPECT_EQ(o.err.find("reward_shaping.rank_over is not used", first + 1), std::string::npos) << "said twice";
}

TEST(CliTrain, ExistingFilesAreNotWrittenOver) {
  const Scratch s;
  write(s / "fills.csv", "mine");
  EXPECT_TRUE(refused(foxhunt(tiny_run("run", {"--fills", "fills.csv"}), s.folder()), "fills.csv exists"));
  fs::create_directory(s / "full");
  write(s / "full/notes.txt", "mine");
  EXPECT_EQ(foxhunt(tiny_run("full"), s.folder()).code, 1);
  EXPECT_EQ(entries(s.folder()), (std::set<std::string>{"fills.csv", "full"}));
  EXPECT_EQ(entries(s / "full"), std::set<std::string>{"notes.txt"});
  EXPECT_EQ(slurp(s / "fills.csv"), "mine");
}

TEST(CliEval, EvaluatesEitherPartOfARunOrCheckpoint) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder()).code, 0);
  const Outcome test = foxhunt({"eval", "run", "--trainer.device", "cpu", "--fills", "fills.csv", "--equity", "equity.csv"}, s.folder());
  ASSERT_EQ(test.code, 0) << shown(test);
  EXPECT_TRUE(test.out.starts_with("test split: ")) << test.out;
  EXPECT_TRUE(slurp(s / "fills.csv").starts_with("step,account,row,"));
  // The run's own curve has both parts, the evaluation its part alone.
  const std::string curve = slurp(s / "equity.csv"), both = slurp(s / "run/equity.csv");
  ASSERT_TRUE(curve.starts_with("part,ts,equity_usd,drawdown_usd\ntest,")) << curve.substr(0, 200);
  EXPECT_TRUE(both.starts_with("part,ts,equity_usd,drawdown_usd\nvalidation,")) << both.substr(0, 200);
  EXPECT_TRUE(both.ends_with(curve.substr(curve.find('\n')))) << "the same rows as at the end of training";
  const Outcome again = foxhunt({"eval", latest(s / "run").string(), "--trainer.device", "cpu"}, s.folder());
  EXPECT_EQ(again.out, test.out);
  const Outcome validation = foxhunt({"eval", "run", "--part", "validation", "--eval.rows", "200", "--trainer.device", "cpu"}, s.folder());
  EXPECT_TRUE(validation.out.starts_with("validation split: ")) << shown(validation);
  // A configuration whose policy the checkpoint does not hold.
  EXPECT_EQ(foxhunt({"eval", "run", "--encoder.hidden", "32", "--trainer.device", "cpu"}, s.folder()).code, 1);
  EXPECT_TRUE(refused(foxhunt({"eval", s.folder().string()}, s.folder()), "holds no checkpoint"));
}

// A run of another version of the program: one key of its configuration is unknown to this one.
TEST(CliEval, ARetiredKeyIsAWarningAndStopsAResume) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder()).code, 0);
  const Outcome before = foxhunt({"eval", "run", "--trainer.device", "cpu"}, s.folder());
  const std::string config = slurp(s / "run/config.ini");
  const auto with_warp = [](std::string text) { return text.insert(text.find("[trainer]\n") + 10, "warp = 9\n"); };
  rewrite_config(latest(s / "run"), with_warp(checkpoints::Reader(latest(s / "run")).text("config")));
  write(s / "run/config.ini", with_warp(config));

  const Outcome after = foxhunt({"eval", "run", "--trainer.device", "cpu"}, s.folder());
  EXPECT_EQ(after.code, 0) << shown(after);
  EXPECT_TRUE(contains(after.err, "'trainer.warp' (= 9) is unknown"));
  EXPECT_EQ(after.out, before.out);
  EXPECT_EQ(foxhunt({"inspect", "run"}, s.folder()).code, 0);
  EXPECT_TRUE(refused(foxhunt({"train", "--resume", "run", "--trainer.iterations", "4"}, s.folder()),
                      "unknown key 'trainer.warp'"));
  EXPECT_EQ(foxhunt(tiny_run("next", {"--init-from", "run"}), s.folder()).code, 0);
}

}  // namespace
}  // namespace foxhunt::test
