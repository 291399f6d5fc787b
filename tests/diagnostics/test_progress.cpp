#include <algorithm>

#include "diagnostics/progress.hpp"
#include "support.hpp"

namespace foxhunt::diagnostics {
namespace {

const ProgressState kState{
    .step = 252, .env_steps_per_s = 1.234e6, .pnl_usd = -1234.5, .q_pi_agree = 0.4567, .entropy = 1.98};

TEST(Progress, NumbersForPeople) {
  EXPECT_EQ(short_number(0), "0.0");
  EXPECT_EQ(short_number(7.84), "7.8");
  EXPECT_EQ(short_number(123.4), "123");
  EXPECT_EQ(short_number(-1234.5), "-1.23k");
  EXPECT_EQ(short_number(45600), "45.6k");
  EXPECT_EQ(short_number(999900), "1.00M");
  EXPECT_EQ(short_number(1.234e6), "1.23M");
  EXPECT_EQ(short_number(kNan), "nan");
  EXPECT_EQ(short_time(65), "1:05");
  EXPECT_EQ(short_time(7384), "2:03:04");
  EXPECT_EQ(short_time(kNan), "?");
}

TEST(Progress, BarFitsEveryWidth) {
  const std::string wide = bar_line(kState, 600, 65, 200, false);
  expect_all(wide, {" 42% [================", "252/600", "1.23M steps/s", "pnl -1.23k USD",
                    "q_pi_agree 0.457", "entropy 1.980", "eta 1:05"});
  std::size_t before = 0;
  for (int columns = 0; columns <= 200; ++columns) {
    const std::string line = bar_line(kState, 600, 65, columns, false);
    EXPECT_LT(line.size(), static_cast<std::size_t>(std::max(columns, 1))) << columns;
    before = std::max(before, line.size());
  }
  EXPECT_EQ(before, wide.size());
  EXPECT_EQ(bar_line({}, 0, kNan, 80, false).substr(0, 4), "  0%");
}

TEST(Progress, ColourOnlyWhereWanted) {
  EXPECT_EQ(bar_line(kState, 600, 65, 100, false).find('\x1b'), std::string::npos);
  EXPECT_NE(bar_line(kState, 600, 65, 100, true).find('\x1b'), std::string::npos);
}

struct Fake {
  double now = 0;
  std::vector<std::string> rows, lines;
  Progress::Options options(log::Terminal (*terminal)()) {
    return {.total = 1000,
            .terminal = terminal,
            .seconds = [this] { return now; },
            .row = [this](std::string_view row) { rows.emplace_back(row); },
            .line = [this](std::string_view line) { lines.emplace_back(line); }};
  }
};
log::Terminal on_terminal() { return {.interactive = true, .colour = false, .columns = 120}; }
log::Terminal in_file() { return {}; }

TEST(Progress, RedrawsAtMostTenTimesASecond) {
  Fake fake;
  Progress progress(fake.options(on_terminal));
  for (int step = 1; step <= 1000; ++step) {
    fake.now = step * 0.002;  // two seconds in all
    progress.update({.step = step});
  }
  EXPECT_GE(fake.rows.size(), 15u);
  EXPECT_LE(fake.rows.size(), 21u);
  // Half way: as much time is left as was used.
  const auto half = std::find_if(fake.rows.begin(), fake.rows.end(),
                                 [](const std::string& row) { return row.starts_with(" 50%"); });
  ASSERT_NE(half, fake.rows.end());
  expect_all(*half, {"eta 0:01"});
  progress.finish();
  EXPECT_EQ(fake.rows.back(), "");
  EXPECT_TRUE(fake.lines.empty());
}

TEST(Progress, PlainLinesElsewhere) {
  Fake fake;
  Progress progress(fake.options(in_file));
  for (int step = 1; step <= 25; ++step) {
    fake.now = step;
    progress.update({.step = step, .entropy = 2});
  }
  EXPECT_EQ(fake.lines.size(), 2u);
  expect_all(fake.lines[0], {"10/1000", "entropy 2.000", "eta 16:30"});
  progress.finish();
  ASSERT_EQ(fake.lines.size(), 3u);
  expect_all(fake.lines[2], {"25/1000"});
  progress.finish();
  EXPECT_EQ(fake.lines.size(), 3u);
  EXPECT_TRUE(fake.rows.empty());
}

TEST(Progress, ARowIsRemovedOnTheWayOut) {
  Fake fake;
  {
    Progress progress(fake.options(on_terminal));
    progress.update(kState);
  }
  ASSERT_EQ(fake.rows.size(), 2u);
  EXPECT_EQ(fake.rows.back(), "");
}

}  // namespace
}  // namespace foxhunt::diagnostics
