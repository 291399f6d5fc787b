// What happens to a program whose standard streams are closed, full or no longer read.
#include "support.hpp"

namespace foxhunt::test {
namespace {

std::string quoted(const Arguments& arguments) {
  std::string line = "\"$FOXHUNT\"";
  for (const std::string& a : arguments) line += " '" + a + "'";
  return line;
}

TEST(CliStreams, AReaderThatGoesAwayIsNoError) {
  const Scratch s;
  const Outcome o = shell("{ \"$FOXHUNT\" train --help; echo code $? >&2; } | head -n 1", s.folder());
  EXPECT_EQ(o.err, "code 0\n");
  EXPECT_TRUE(o.out.starts_with("Usage: foxhunt train")) << shown(o);
}

TEST(CliStreams, AFullDiskUnderStandardOutputIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Scratch s;
  const Outcome o = shell("\"$FOXHUNT\" help > /dev/full", s.folder());
  EXPECT_TRUE(refused(o, "standard output could not be written"));
  const Outcome run = shell(quoted(tiny_run("run")) + " > /dev/full", s.folder());
  EXPECT_TRUE(refused(run, "standard output could not be written")) << "a script would miss the last line";
  EXPECT_TRUE(contains(slurp(s / "run/verdict.json"), "passed"));
}

TEST(CliStreams, ClosedStreamsAreNoErrorAndDoNotEndUpInFiles) {
  const Scratch s;
  for (const char* closed : {" >&- 2>&-", " >&-", " <&- >&- 2>&-"}) {
    fs::remove_all(s / "run");
    const Outcome o = shell(quoted(tiny_run("run")) + closed, s.folder());
    EXPECT_EQ(o.code, 0) << closed << shown(o);
    EXPECT_EQ(foxhunt({"inspect", "run"}, s.folder()).code, 0);
    for (const char* file : {"config.ini", "diag.jsonl", "verdict.json", "summary.json", "provenance.json"}) {
      const std::string content = slurp(s / "run" / file);
      EXPECT_FALSE(content.empty()) << file;
      EXPECT_EQ(content.find("test split:"), std::string::npos) << file;
      EXPECT_EQ(content.find("kernels: compiled"), std::string::npos) << file;
    }
  }
}

TEST(CliStreams, TrainingOutlivesItsReader) {
  const Scratch s;
  const Outcome o = shell("{ " + quoted(tiny_run("run")) + " 2>/dev/null; echo code $? >&2; } | true", s.folder());
  EXPECT_EQ(o.err, "code 0\n");
  EXPECT_TRUE(contains(slurp(s / "run/verdict.json"), "passed"));
}

TEST(CliStreams, TheLastLineIsFolderRateAndVerdict) {
  const Scratch s;
  const Outcome o = foxhunt(tiny_run("run", {"--quiet"}), s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  const size_t begin = o.out.rfind('\n', o.out.size() - 2) + 1;
  const std::string last = o.out.substr(begin);
  EXPECT_TRUE(last.starts_with("run  ")) << last;
  EXPECT_TRUE(contains(last, " steps/s  passed: "));
  EXPECT_EQ(o.err, "") << "--quiet leaves warnings and errors alone";
}

}  // namespace
}  // namespace foxhunt::test
