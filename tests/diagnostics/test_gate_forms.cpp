// Gates that remember, or look elsewhere: trends, arrays, tensors that do not change, baseline runs.
#include <cmath>

#include "diagnostics/diag_file.hpp"
#include "diagnostics/gates.hpp"
#include "support.hpp"

namespace foxhunt::diagnostics {
namespace {

using Steps = std::vector<std::int64_t>;

config::GateSettings gate(const std::string& metric, const std::string& op, const std::string& value) {
  return {.name = "g", .metric = metric, .op = op, .value = value, .action = "warn", .origin = "run.ini:7"};
}

/// Steps of all firings over these rows.
Steps firing_steps(const config::GateSettings& settings, const std::vector<Row>& rows) {
  Gates gates({settings}, small_schema(), 0);
  for (const Row& row : rows) gates.observe(row);
  Steps steps;
  for (const Firing& firing : gates.finish()) steps.push_back(firing.step);
  return steps;
}

std::vector<Row> rows_of(const std::vector<double>& x) {
  std::vector<Row> rows;
  for (const double value : x) rows.push_back(row(static_cast<std::int64_t>(rows.size()) + 1, value));
  return rows;
}

TEST(Trend, IsTheSlopeOfALineThroughTheWindow) {
  // 4 3 2 5 falls, 3 2 5 1 falls, 2 5 1 6 rises, 5 1 6 2 falls: 3 (x4 - x1) + (x3 - x2) has the slope's sign.
  const std::vector<Row> rows = rows_of({4, 3, 2, 1, 2, 1, 6, 2});
  EXPECT_EQ(firing_steps(gate("x", "decreasing", "over 4"), rows), (Steps{7}));
  EXPECT_EQ(firing_steps(gate("x", "increasing", "4"), rows), (Steps{4}));
  EXPECT_EQ(firing_steps(gate("x", "decreasing", "over 9"), rows), Steps()) << "too few rows to say";
}

TEST(Trend, WhatStaysTheSameNeitherFallsNorRises) {
  const std::vector<Row> rows = rows_of({0.1, 0.1, 0.1, 0.1, 0.1});
  EXPECT_EQ(firing_steps(gate("x", "decreasing", "over 3"), rows), (Steps{3}));
  EXPECT_EQ(firing_steps(gate("x", "increasing", "over 3"), rows), (Steps{3}));
}

TEST(Trend, WindowsBeginWithFromAndStreaksWithFullWindows) {
  config::GateSettings settings = gate("x", "decreasing", "over 3");
  settings.from = 3;
  const std::vector<Row> rows = rows_of({1, 9, 8, 8, 9, 10, 11});
  EXPECT_EQ(firing_steps(settings, rows), (Steps{5}));
  settings.sustained = 2;
  EXPECT_EQ(firing_steps(settings, rows), (Steps{6}));
}

TEST(Trend, SaysByHowMuch) {
  Gates gates({gate("x", "decreasing", "over 3")}, small_schema(), 0);
  for (const Row& row : rows_of({1, 2, 4})) gates.observe(row);
  const auto firings = gates.finish();
  ASSERT_EQ(firings.size(), 1u);
  EXPECT_NEAR(firings[0].value, 3, 1e-12);
  expect_all(firings[0].sentence,
             {"x changed by 3 USD over 3 iterations at step 3", "x not decreasing over 3 iterations"});
  EXPECT_NEAR(gates.results()[0].margin, -3, 1e-12);
}

TEST(Trend, NanFiresAtOnce) {
  EXPECT_EQ(firing_steps(gate("x", "decreasing", "over 100"), rows_of({3, 2, kNan})), (Steps{3}));
}

TEST(Array, AnyElementCanFireAndIsNamed) {
  Gates gates({gate("hist", ">", "0.95")}, small_schema(), 0);
  gates.observe(row(1, 0, 0, 0.5, 0.5));
  gates.observe(row(2, 0, 0, 0.02, 0.98));
  const auto firings = gates.finish();
  ASSERT_EQ(firings.size(), 1u);
  EXPECT_EQ(firings[0].step, 2);
  expect_all(firings[0].sentence, {"hist.long was 0.98"});
}

TEST(Array, AStreakIsThatOfOneElement) {
  config::GateSettings settings = gate("hist", ">", "0.9");
  settings.sustained = 2;
  EXPECT_EQ(firing_steps(settings,
                         {row(1, 0, 0, 1, 0), row(2, 0, 0, 0, 1), row(3, 0, 0, 1, 0), row(4, 0, 0, 1, 0)}),
            (Steps{4}));
}

/// One head's tensors w and b.
const MetricSchema& tensor_schema() {
  static const MetricSchema schema(
      {{.name = "step", .integer = true},
       {.name = "x"},
       {.name = "update_ratio_net", .update_ratio = true, .elements = {"w", "b"}}});
  return schema;
}

TEST(Changes, ATensorThatStandsStillIsNamed) {
  struct Moved {
    double w, b;
  };
  const auto firings_of = [](const config::GateSettings& settings, const std::vector<Moved>& moves) {
    Gates gates({settings}, tensor_schema(), 0);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const double ratios[]{moves[i].w, moves[i].b};
      Row row(tensor_schema());
      row.set("step", static_cast<double>(i) + 1).set("update_ratio_net", ratios);
      gates.observe(row);
    }
    return gates.finish();
  };
  config::GateSettings settings = gate("all", "changes", "0");
  settings.sustained = 3;
  settings.from = 2;
  const std::vector<Moved> moves{{0, 0}, {1e-9, 0}, {0, 0}, {0, 0}, {0, 1e-30}};
  const auto firings = firings_of(settings, moves);
  ASSERT_EQ(firings.size(), 1u);
  EXPECT_EQ(firings[0].step, 4);
  expect_all(firings[0].sentence, {"update_ratio_net.b was 0", "does not change"});
  settings.metric = "update_ratio_net";
  EXPECT_EQ(firings_of(settings, moves).at(0).step, 4);
  settings.metric = "update_ratio_net.w";
  EXPECT_EQ(firings_of(settings, moves).at(0).step, 5);
  settings.sustained = 1;
  EXPECT_TRUE(firings_of(settings, {{1, 0}, {1e-30, 0}}).empty());
  EXPECT_EQ(firings_of(settings, {{1, 1}, {kNan, 1}}).at(0).step, 2);
  settings.metric = "x";
  expect_all(message_of([&] { Gates({settings}, tensor_schema(), 0); }),
             {"gate.g.metric", "update_ratio_GROUP"});
}

class AgainstBaseline : public RunFolder {
 protected:
  /// A run whose x at step s is 10 s, for steps 1 to `last`.
  void baseline_of(std::int64_t last) {
    DiagWriter writer(diag);
    for (std::int64_t step = 1; step <= last; ++step)
      writer.write(row(step, 10 * static_cast<double>(step), 1, 0.25, 0.75));
  }
  config::GateSettings against(const std::string& value, const std::string& metric = "x",
                               const std::string& op = "<") {
    config::GateSettings settings = gate(metric, op, value);
    settings.baseline = folder.string();
    return settings;
  }
};

TEST_F(AgainstBaseline, ComparesAtTheSameStep) {
  baseline_of(4);
  EXPECT_EQ(firing_steps(against("baseline - 5"), rows_of({5, 15, 24, 35})), (Steps{3}));
  EXPECT_EQ(firing_steps(against("baseline − 5"), rows_of({5, 15, 24, 35})), (Steps{3}));
  EXPECT_EQ(firing_steps(against("100 * baseline.y", "x", ">"), rows_of({99, 101})), (Steps{2}));
  EXPECT_EQ(firing_steps(against("baseline.hist.long", "x", ">"), rows_of({0.7, 0.8})), (Steps{2}))
      << "by name";
  EXPECT_EQ(firing_steps(against("[0.5 * baseline, baseline]", "x", "in"), rows_of({7, 9, 25})), (Steps{2}));
  config::GateSettings file = against("baseline");
  file.baseline = diag.string();
  EXPECT_EQ(firing_steps(file, rows_of({10, 19})), (Steps{2}));
}

TEST_F(AgainstBaseline, StepsThatItLacksArePassedOver) {
  baseline_of(3);
  config::GateSettings settings = against("baseline");
  Gates gates({settings}, small_schema(), 0);
  for (const Row& row : rows_of({10, 20, 30, -1e9, -1e9})) gates.observe(row);
  EXPECT_TRUE(gates.finish().empty()) << "no value is made up for steps past its end";
  EXPECT_EQ(gates.results()[0].step, 3) << "the last row that was compared";
  ASSERT_EQ(gates.short_baselines(5).size(), 1u);
  expect_all(gates.short_baselines(5)[0], {"gate 'g'", "ends with iteration 3"});
  EXPECT_TRUE(gates.short_baselines(3).empty());
  settings.to = 3;
  EXPECT_TRUE(Gates({settings}, small_schema(), 0).short_baselines(5).empty());
}

TEST_F(AgainstBaseline, AGapEndsAStreak) {
  {
    DiagWriter writer(diag);
    for (const std::int64_t step : {1, 2, 4, 5}) writer.write(row(step, 0));
  }
  config::GateSettings settings = against("baseline");
  settings.sustained = 3;
  EXPECT_EQ(firing_steps(settings, rows_of({-1, -1, -1, -1, -1})), Steps());
}

TEST_F(AgainstBaseline, ANanThereFires) {
  {
    DiagWriter writer(diag);
    writer.write(row(1, kNan));
  }
  EXPECT_EQ(firing_steps(against("baseline - 5"), rows_of({1e9})), (Steps{1}));
}

TEST_F(AgainstBaseline, WhatCannotBeComparedIsRefusedAtTheStart) {
  const auto message = [](const config::GateSettings& settings) {
    return message_of([&] { Gates({settings}, small_schema(), 0); });
  };
  expect_all(message(against("baseline")), {"run.ini:7", "gate.g.value", "holds no diag.jsonl"});
  put(diag, "");
  expect_all(message(against("baseline")), {"gate.g.value", "holds no iteration yet"});
  std::filesystem::remove(diag);
  baseline_of(3);
  expect_all(message(against("baseline.l_q")), {"gate.g.value", "has no key 'l_q'"});
  config::GateSettings settings = against("baseline");
  settings.from = 4;
  expect_all(message(settings), {"gate.g.baseline", "ends with iteration 3"});
  settings = against("baseline");
  settings.baseline = (folder / "elsewhere").string();
  expect_all(message(settings), {"gate.g.value", "there is no", "elsewhere"});
}

TEST_F(AgainstBaseline, ARunWithOtherKeysAndAPartialLastLineWillDo) {
  put(diag,
      "{\"step\":1,\"l_old\":3}\n"
      "{\"step\":1,\"l_old\":4}\n"  // set back: the later line counts
      "rubbish\n{\"step\":2,\"l_old\":5}\n{\"step\":3,\"l_o");
  EXPECT_EQ(firing_steps(against("baseline.l_old", "x", ">"), rows_of({3.5, 6, 100})), (Steps{2}));
}

TEST(Margin, IsTheDistanceFromABreach) {
  const auto margin = [](const char* op, const char* value, double x) {
    Gates gates({gate("x", op, value)}, small_schema(), 0);
    gates.observe(row(1, x));
    gates.finish();
    return gates.results()[0].margin;
  };
  EXPECT_EQ(margin("<", "-0.5", 1), 1.5);
  EXPECT_EQ(margin(">", "2", 1), 1);
  EXPECT_EQ(margin("in", "[0, 3]", 1), 1);
  EXPECT_EQ(margin("in", "[0, 3]", 2.5), 0.5);
  EXPECT_EQ(margin("in", "[0, 3]", 5), -2);
}

TEST(Band, EndsThatCrossOverHoldNothing) {
  EXPECT_EQ(firing_steps(gate("x", "in", "[y, hist.short]"), {row(1, 1, 2, 0), row(2, 1, 0, 2)}), (Steps{1}));
}

}  // namespace
}  // namespace foxhunt::diagnostics
