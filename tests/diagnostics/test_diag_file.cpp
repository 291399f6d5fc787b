#include <sys/resource.h>

#include <cmath>
#include <csignal>

#include "diagnostics/diag_file.hpp"
#include "diagnostics/json_lines.hpp"
#include "support.hpp"

namespace foxhunt::diagnostics {
namespace {

std::string lines(int from, int to) {
  std::string all;
  for (int step = from; step <= to; ++step) all += to_line(row(step, step * 0.1));
  return all;
}

TEST_F(RunFolder, EveryLineIsThereAtOnce) {
  DiagWriter writer(diag);
  for (int step = 1; step <= 3; ++step) {
    writer.write(row(step, step * 0.1));
    EXPECT_EQ(content(diag), lines(1, step));
  }
  writer.sync();
  expect_all(message_of([&] { DiagWriter again(diag); }), {"diag.jsonl", "exists"});
  EXPECT_EQ(content(diag), lines(1, 3));
}

TEST_F(RunFolder, ResumeCutsWhatCameAfterTheCheckpoint) {
  put(diag, lines(1, 9));
  DiagWriter writer = DiagWriter::resume(diag, small_schema(), 5);
  EXPECT_EQ(content(diag), lines(1, 5));
  for (int step = 6; step <= 9; ++step) writer.write(row(step, step * 0.1));
  EXPECT_EQ(content(diag), lines(1, 9)) << "resumed and uninterrupted runs must have the same file";
}

TEST_F(RunFolder, AHalfWrittenLineIsRepairedAtEveryLength) {
  const std::string whole = lines(1, 3), next = to_line(row(4, 0.4));
  for (std::size_t length = 0; length < next.size(); ++length) {
    put(diag, whole + next.substr(0, length));
    DiagWriter::resume(diag, small_schema(), 3);
    ASSERT_EQ(content(diag), whole) << length;
  }
  put(diag, whole + std::string(4096, '\0'));  // what a power cut can leave
  DiagWriter::resume(diag, small_schema(), 3);
  EXPECT_EQ(content(diag), whole);
}

TEST_F(RunFolder, DamageInTheMiddleLosesNothingElse) {
  put(diag, lines(1, 2) + "rubbish\n" + lines(4, 6));
  DiagWriter::resume(diag, small_schema(), 5);
  EXPECT_EQ(content(diag), lines(1, 2) + "rubbish\n" + lines(4, 5));
  const DiagTable table = read_diag(diag);
  EXPECT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.damaged, 1u);
}

TEST_F(RunFolder, ResumeSaysWhatIsMissing) {
  testing::internal::CaptureStderr();
  DiagWriter::resume(diag, small_schema(), 7).write(row(8, 1));
  put(folder / "short.jsonl", lines(1, 3));
  DiagWriter::resume(folder / "short.jsonl", small_schema(), 7);
  const MetricSchema other({{.name = "step", .integer = true}, {.name = "z"}});
  DiagWriter::resume(folder / "short.jsonl", other, 3);
  const std::string warnings = testing::internal::GetCapturedStderr();
  expect_all(warnings, {"diag.jsonl: is missing", "after iteration 7", "ends with iteration 3",
                        "other keys after iteration 3"});
  EXPECT_EQ(content(diag), to_line(row(8, 1)));
}

TEST_F(RunFolder, RowsComeBackAsTheyWere) {
  DiagWriter writer(diag);
  for (int step = 1; step <= 5; ++step)
    writer.write(row(step, step / 3.0, step == 2 ? kNan : kInf, 0.25, 0.75));
  const std::vector<Row> rows = read_rows(diag, small_schema(), 4);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[3].step(), 4);
  EXPECT_EQ(rows[3].get("x"), 4 / 3.0);
  EXPECT_EQ(rows[3].get("y"), kInf);
  EXPECT_TRUE(std::isnan(rows[1].get("y")));
  EXPECT_EQ(rows[3].get("hist.long"), 0.75);
  const DiagTable table = read_diag(diag);
  EXPECT_EQ(table.names, (std::vector<std::string>{"step", "x", "y", "hist.0", "hist.1"}));
  EXPECT_EQ(table.rows[4][table.column("x")], 5 / 3.0);
  EXPECT_EQ(table.column("none"), table.names.size());
}

TEST_F(RunFolder, LinesWithoutEndDoNotFillTheMemory) {
  put(diag, lines(1, 2) + std::string(3 << 20, 'x') + "\n" + lines(3, 4) + std::string(3 << 20, '\0'));
  EXPECT_EQ(read_diag(diag).rows.size(), 4u);
  EXPECT_EQ(read_diag(diag).damaged, 2u);
  DiagWriter::resume(diag, small_schema(), 4);
  EXPECT_EQ(content(diag), lines(1, 2) + std::string(3 << 20, 'x') + "\n" + lines(3, 4));
  expect_all(message_of([] { read_diag("/dev/zero"); }), {"/dev/zero"});
}

TEST_F(RunFolder, AFullDiskIsAnError) {
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = old;
  small.rlim_cur = 200;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    DiagWriter writer(diag);
    for (int step = 1; step <= 100; ++step) writer.write(row(step, 1));
  } catch (const Error& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, old_handler);
  expect_all(message, {"diag.jsonl: cannot be written: File too large"});
}

}  // namespace
}  // namespace foxhunt::diagnostics
