#include <cmath>

#include "diagnostics/diag_file.hpp"
#include "diagnostics/sparkline.hpp"
#include "diagnostics/watch_view.hpp"
#include "support.hpp"

namespace foxhunt::diagnostics {
namespace {

/// Columns that a line takes on a terminal.
int width_of(const std::string& line) {
  int width = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b')
      i = line.find('m', i);
    else if ((static_cast<unsigned char>(line[i]) & 0xC0) != 0x80)
      ++width;
  }
  return width;
}

const MetricSchema& run_schema() {
  static const MetricSchema schema({{.name = "step", .integer = true},
                                    {.name = "wall_s"},
                                    {.name = "env_steps_per_s"},
                                    {.name = "pnl_cum_usd", .unit = "USD"},
                                    {.name = "entropy", .finite = true},
                                    {.name = "action_hist", .elements = {"short", "hold"}}});
  return schema;
}

class Watched : public RunFolder {
 protected:
  Watched() {
    put(folder / "config.ini",
        "[trainer]\niterations = 100\n"
        "[gate.calm]\nmetric = entropy\nop = <\nvalue = 0.5\nfrom = 0\nto = 0\naction = abort\nbaseline "
        "=\nfor = 3\n"
        "[gate.lazy]\nmetric = action_hist.hold\nop = >\nvalue = 0.9\nfor = 1\naction = warn\n"
        "[gate.late]\nmetric = entropy\nop = <\nvalue = 0\nfrom = 90\nfor = 1\naction = fail_at_end\n"
        "[gate.lost]\nmetric = entropy\nop = <\nvalue = baseline\nbaseline = /nowhere/at/all\nfor = "
        "1\naction = warn\n"
        "[gate.silent]\nmetric = entropy\nop = <\nvalue = 0\nfor = 1\naction = off\n");
    write_schema(folder / "schema.json", run_schema());
  }
  void add(std::int64_t first, std::int64_t last, double entropy = 1) {
    std::ofstream file(diag, std::ios::binary | std::ios::app);
    for (std::int64_t step = first; step <= last; ++step) {
      const double shares[]{0.25, 0.75};
      Row row(run_schema());
      row.set("step", static_cast<double>(step))
          .set("wall_s", 2.0 * static_cast<double>(step))
          .set("env_steps_per_s", 1500);
      row.set("pnl_cum_usd", 1e6 * static_cast<double>(step))
          .set("entropy", entropy)
          .set("action_hist", shares);
      file << to_line(row);
    }
  }
  WatchedRun run{folder, {"pnl_cum_usd", "entropy", "action_hist.hold", "not_there"}};
  std::string frame(Screen screen = {120, 40, false}) { return join(run_frame(run, screen), "\n"); }
};

TEST_F(Watched, ShowsProgressMetricsAndGates) {
  EXPECT_FALSE(run.poll());
  expect_all(frame(), {"starting", "no iteration yet"});
  add(1, 40);
  EXPECT_TRUE(run.poll());
  EXPECT_FALSE(run.poll());
  EXPECT_EQ(run.step(), 40);
  EXPECT_NEAR(run.eta_s(), 120, 1e-9);
  expect_all(frame(), {"running",
                       "step 40/100",
                       "1.50k steps/s",
                       "after 1:20",
                       "eta 2:00",
                       "40 %",
                       "pnl_cum_usd",
                       "40.0M",
                       "▁",
                       "█",
                       "entropy",
                       "action_hist.hold",
                       "0.75",
                       "gates",
                       "ok",
                       "calm",
                       "entropy 1, 0.5 from a breach",
                       "(abort if entropy < 0.5 for 3 iterations in a row)",
                       "action_hist.hold 0.75, 0.15 from a breach",
                       "waits",
                       "late",
                       "from step 90",
                       "lost",
                       "there is no /nowhere/at/all"});
  EXPECT_EQ(frame().find("silent"), std::string::npos) << "a gate that is off";
  EXPECT_EQ(frame().find("not_there"), std::string::npos);
}

TEST_F(Watched, AGateThatFiresIsShown) {
  add(1, 10);
  add(11, 12, 0.25);
  run.poll();
  expect_all(frame(), {"breach", "entropy 0.25, in breach 2 of 3"});
  expect_all(watch_line(run), {"step 12/100", "entropy 0.25", "gate calm in breach 2 of 3"});
  add(13, 13, 0.25);
  run.poll();
  expect_all(frame(), {"FIRED", "at step 13"});
  expect_all(watch_line(run), {"gate calm fired at step 13"});
}

TEST_F(Watched, AnEndedRunSaysHow) {
  add(1, 20);
  put(folder / "verdict.json",
      "{\"verdict\":\"aborted\",\"step\":20,\"sentence\":\"gate 'calm' stops the run.\"}");
  EXPECT_TRUE(run.poll());
  ASSERT_TRUE(run.verdict());
  expect_all(frame(), {"aborted", "gate 'calm' stops the run."});
  EXPECT_EQ(frame().find("eta"), std::string::npos);
  expect_all(frame({20, 40, false}), {"gate 'calm' stops\nthe run.\n"});
  expect_all(watch_line(run), {"aborted", "gate 'calm' stops the run."});
  std::filesystem::remove(folder / "verdict.json");  // as a resume does
  EXPECT_TRUE(run.poll());
  EXPECT_FALSE(run.verdict());
}

TEST_F(Watched, ARunThatWritesNoMoreIsSilent) {
  add(1, 20);
  run.poll();
  EXPECT_FALSE(run.is_silent());
  namespace fs = std::filesystem;
  fs::last_write_time(diag, fs::file_time_type::clock::now() - std::chrono::seconds(30));
  EXPECT_FALSE(run.is_silent()) << "its iterations take 2 s";
  fs::last_write_time(diag, fs::file_time_type::clock::now() - std::chrono::seconds(3700));
  EXPECT_TRUE(run.is_silent());
  expect_all(frame(), {"silent for 1:01:4"});
}

TEST_F(Watched, AResumedRunIsReadAnew) {
  add(1, 30, 0.25);
  run.poll();
  expect_all(frame(), {"FIRED"});
  std::filesystem::remove(diag);
  add(1, 5);
  put(folder / "config.ini",
      "[trainer]\niterations = 200\n[gate.calm]\nmetric = entropy\nop = <\nvalue = 0.5\nfor = 3\naction = "
      "abort\n");
  std::filesystem::last_write_time(folder / "config.ini",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_TRUE(run.poll());
  EXPECT_EQ(run.step(), 5);
  EXPECT_EQ(run.total(), 200);
  EXPECT_EQ(run.column("entropy")->values.size(), 5u);
  EXPECT_EQ(frame().find("FIRED"), std::string::npos);
}

TEST_F(Watched, FitsEveryScreen) {
  add(1, 100);
  run.poll();
  for (const int columns : {1, 5, 20, 33, 50, 80, 200})
    for (const int rows : {1, 3, 6, 24})
      for (const bool colour : {false, true}) {
        const auto lines = run_frame(run, {columns, rows, colour});
        EXPECT_LE(static_cast<int>(lines.size()), rows);
        for (const std::string& line : lines) EXPECT_LE(width_of(line), columns) << line;
      }
  // Of little room the gates get theirs before the metrics.
  expect_all(join(run_frame(run, {100, 8, false}), "\n"), {"gates", "calm", "lost", "pnl_cum_usd"});
}

TEST_F(Watched, AFileAloneWillDo) {
  add(1, 3);
  WatchedRun alone(diag, {"entropy", "action_hist.1"});
  alone.poll();
  EXPECT_EQ(alone.step(), 3);
  EXPECT_EQ(alone.total(), 0);
  EXPECT_TRUE(alone.gates().empty());
  ASSERT_NE(alone.column("action_hist.1"), nullptr);
  EXPECT_EQ(alone.column("action_hist.1")->values.back(), 0.75);
  expect_all(join(run_frame(alone, {}), "\n"), {"step 3", "entropy"});
}

TEST_F(Watched, SeveralRunsAreATable) {
  add(1, 40);
  run.poll();
  const WatchedRun other(folder / "other", {"entropy"});
  const auto lines = table_frame({&run, &other}, {"pnl_cum_usd", "entropy"}, {120, 40, false});
  ASSERT_EQ(lines.size(), 3u);
  expect_all(lines[0], {"run", "state", "pnl_cum_usd", "entropy"});
  expect_all(lines[1], {"running", "40/100", "40.0M", "█"});
  expect_all(lines[2], {"other", "starting", "-"});
  for (const int columns : {1, 30, 80})
    for (const auto& line : table_frame({&run, &other}, {"pnl_cum_usd"}, {columns, 2, true}))
      EXPECT_LE(width_of(line), columns);
}

TEST(Fitted, CutsCharactersNotBytesAndKeepsColours) {
  EXPECT_EQ(fitted("abcdef", 3), "abc");
  EXPECT_EQ(fitted("▁▂▃", 2), "▁▂");
  EXPECT_EQ(fitted("\x1b[31mabc\x1b[0mdef", 2), "\x1b[31mab\x1b[0m");
  EXPECT_EQ(fitted("a\x1b", 5), "a\x1b");
  EXPECT_EQ(fitted("", 3), "");
}

TEST(Sparkline, ShowsTheRangeAndWhatIsNoNumber) {
  EXPECT_EQ(sparkline({}), "");
  EXPECT_EQ(sparkline({1, 1, 1}), "▁▁▁");
  EXPECT_EQ(sparkline({0, 7, 3.5}), "▁█▅");
  EXPECT_EQ(sparkline({0, kNan, 1, kInf}), "▁×█×");
  EXPECT_EQ(sparkline({kNan}), "×");
  EXPECT_EQ(sparkline({-1.7e308, 0, 1.7e308}), "▁▅█") << "a range that overflows";
}

TEST(PartMeans, AreMeansInOrder) {
  EXPECT_EQ(part_means({1, 2, 3}, 5), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(part_means({1, 3, 5, 7}, 2), (std::vector<double>{2, 6}));
  EXPECT_EQ(part_means({1, 3, 5, 7, 9}, 2), (std::vector<double>{2, 7}));
  const auto bad = part_means({1, kInf, 5, 7}, 2);
  EXPECT_TRUE(std::isnan(bad[0]));
  EXPECT_EQ(bad[1], 6);
}

}  // namespace
}  // namespace foxhunt::diagnostics
