// Input of any kind that is not what it should be: a clear error, exit code 1, nothing left behind.
#include <unistd.h>

#include "market/dbn_bytes.hpp"
#include "support.hpp"

namespace foxhunt::test {
namespace {

namespace mt = market::test;

std::string some_orders(int count) {
  std::string bytes = mt::dbn_head(1, 0, {{"ESH4", 7}});
  for (int i = 0; i < count; ++i)
    bytes += mt::mbo({.side = i % 2 ? 'A' : 'B', .id = static_cast<uint64_t>(i + 1), .price = mt::px(i % 2 ? 101 : 100)});
  return bytes;
}

Outcome import(const std::string& file, const fs::path& folder) {
  return foxhunt({"import", "dbn", file, "-o", "out.h5", "--tick", "0.25", "--multiplier", "50"}, folder);
}

TEST(CliBadFiles, Dbn) {
  const Scratch s;
  const std::string whole = some_orders(20);
  write(s / "cut.dbn", whole.substr(0, whole.size() - 30));
  write(s / "cut.dbn.zst", mt::compress(whole).substr(0, 60));
  write(s / "magic.dbn", "XBN" + whole.substr(3));
  write(s / "empty.dbn", "");
  write(s / "text.dbn", "not a market\n");
  std::string block;
  while (block.size() < (4u << 20)) block += mt::mbo({.action = 'N', .id = 1, .price = mt::px(1)});
  const std::string frame = mt::compress(block);
  std::string bomb = mt::compress(mt::dbn_head(1, 0, {{"ESH4", 7}}));
  for (int i = 0; i < 750; ++i) bomb += frame;
  ASSERT_LT(bomb.size(), 2u << 20) << "3 GB when decompressed";
  write(s / "bomb.dbn.zst", bomb);
  fs::create_directory(s / "folder.dbn");
  const auto before = entries(s.folder());

  EXPECT_TRUE(refused(import("cut.dbn", s.folder()), "cut.dbn"));
  EXPECT_TRUE(refused(import("cut.dbn.zst", s.folder()), "cut.dbn.zst"));
  EXPECT_TRUE(refused(import("magic.dbn", s.folder()), "magic.dbn"));
  EXPECT_TRUE(refused(import("empty.dbn", s.folder()), "empty.dbn"));
  EXPECT_TRUE(refused(import("text.dbn", s.folder()), "text.dbn"));
  EXPECT_TRUE(refused(import("bomb.dbn.zst", s.folder()), "beyond the limits for market data"));
  EXPECT_TRUE(refused(import("folder.dbn", s.folder()), "folder.dbn"));
  EXPECT_TRUE(refused(import("nothere.dbn", s.folder()), "nothere.dbn"));
  EXPECT_TRUE(refused(import("/dev/zero", s.folder()), "/dev/zero"));
  EXPECT_EQ(entries(s.folder()), before);
}

TEST(CliBadFiles, OutputThatCannotBeMade) {
  const Scratch s;
  fs::create_directory(s / "folder");
  EXPECT_TRUE(refused(foxhunt({"generate", "planted", "--rows", "512", "-o", "folder"}, s.folder()), "is a folder"));
  EXPECT_TRUE(refused(foxhunt({"generate", "planted", "--rows", "512", "-o", "nothere/x.h5"}, s.folder()), "does not exist; make it first"));
  EXPECT_TRUE(refused(foxhunt({"generate", "planted", "--rows", "512", "-o", ""}, s.folder()), "empty name"));
  // A folder in which not even root can make files.
  EXPECT_EQ(foxhunt({"generate", "planted", "--rows", "512", "-o", "/proc/foxhunt.h5"}, s.folder()).code, 1);
  EXPECT_EQ(entries(s.folder()), std::set<std::string>{"folder"});
}

TEST(CliBadFiles, Hdf5OfAnotherSchema) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder()).code, 0);
  ASSERT_EQ(foxhunt({"generate", "planted", "--rows", "512", "-o", "market.h5"}, s.folder()).code, 0);
  const std::string market = slurp(s / "market.h5");
  write(s / "cut.h5", market.substr(0, market.size() / 2));
  write(s / "text.h5", "not HDF5\n");
  fs::create_directory(s / "folder.h5");
  const auto before = entries(s.folder());

  EXPECT_TRUE(refused(foxhunt({"market", latest(s / "run").string()}, s.folder()), "not a market"));
  EXPECT_TRUE(refused(foxhunt({"eval", "market.h5"}, s.folder()), "market.h5"));
  for (const char* file : {"cut.h5", "text.h5", "folder.h5", "nothere.h5"}) {
    EXPECT_TRUE(refused(foxhunt({"market", file}, s.folder()), file));
    EXPECT_TRUE(refused(foxhunt({"eval", file}, s.folder()), file));
    EXPECT_TRUE(refused(foxhunt({"inspect", file}, s.folder()), file));
    EXPECT_TRUE(refused(foxhunt({"diff", file, "market.h5"}, s.folder()), file));
    EXPECT_TRUE(refused(foxhunt(tiny_run("new", {"--init-from", file}), s.folder()), file));
    EXPECT_TRUE(refused(foxhunt(tiny_run("new", {"--env.source", "file", "--env.path", file}), s.folder()), file));
  }
  EXPECT_EQ(entries(s.folder()), before) << "a run folder was made for a run that never started";
}

TEST(CliBadFiles, Config) {
  const Scratch s;
  write(s / "long.ini", "[trainer]\naccounts = " + std::string(10u << 20, '1') + "\n");
  write(s / "binary.ini", std::string("[trainer]\naccounts\0= 3\n", 23));
  write(s / "syntax.ini", "[trainer]\naccounts 3\n");
  write(s / "unknown.ini", "[trainer]\nacounts = 3\n");
  write(s / "circle.ini", "base = circle.ini\n");
  fs::create_directory(s / "folder.ini");
  const auto before = entries(s.folder());

  EXPECT_TRUE(refused(foxhunt({"train", "long.ini"}, s.folder()), "long.ini:2: "));
  EXPECT_TRUE(refused(foxhunt({"train", "binary.ini"}, s.folder()), "binary.ini:2: holds the byte \\x00"));
  EXPECT_TRUE(refused(foxhunt({"train", "syntax.ini"}, s.folder()), "syntax.ini:2: expected `key = value`"));
  EXPECT_TRUE(refused(foxhunt({"train", "unknown.ini"}, s.folder()), "did you mean 'trainer.accounts'?"));
  EXPECT_TRUE(refused(foxhunt({"train", "circle.ini"}, s.folder()), "in a circle"));
  EXPECT_TRUE(refused(foxhunt({"train", "folder.ini"}, s.folder()), "is a folder"));
  EXPECT_TRUE(refused(foxhunt({"train", "nothere.ini"}, s.folder()), "nothere.ini"));
  EXPECT_TRUE(refused(foxhunt({"train", "/dev/zero"}, s.folder()), "/dev/zero"));
  EXPECT_EQ(entries(s.folder()), before);
}

TEST(CliBadFiles, WithoutPermission) {
  const Scratch s;
  // Root may read every file, so it becomes nobody first.
  const std::string as_user = geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : "";
  fs::permissions(s.folder(), fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  if (shell(as_user + "\"$FOXHUNT\" --version", s.folder()).code != 0)
    GTEST_SKIP() << "the program cannot be started as another user than root";
  for (const char* file : {"x.ini", "x.h5", "x.dbn"}) {
    write(s / file, "secret");
    fs::permissions(s / file, fs::perms::none);
  }
  const auto foxhunt = [&](const std::string& words) { return shell(as_user + "\"$FOXHUNT\" " + words, s.folder()); };
  EXPECT_TRUE(refused(foxhunt("train x.ini"), "Permission denied"));
  EXPECT_TRUE(refused(foxhunt("import dbn x.dbn -o out.h5 --tick 1 --multiplier 1"), "Permission denied"));
  EXPECT_TRUE(refused(foxhunt("market x.h5"), "x.h5"));
  EXPECT_TRUE(refused(foxhunt("inspect x.h5"), "x.h5"));
  EXPECT_TRUE(refused(foxhunt("eval x.h5"), "x.h5"));
  // No folder to write into.
  EXPECT_EQ(foxhunt("generate planted --rows 512 -o out.h5").code, geteuid() == 0 ? 1 : 0);
}

}  // namespace
}  // namespace foxhunt::test
