#include <cmath>
#include <stdexcept>

#include "diagnostics/gates.hpp"
#include "support.hpp"

namespace foxhunt::diagnostics {
namespace {

config::GateSettings gate(const std::string& metric, const std::string& op, const std::string& value,
                          const std::string& action = "abort") {
  return {.name = "g", .metric = metric, .op = op, .value = value, .action = action, .origin = "run.ini:7"};
}

/// Steps at which the gate fires over rows 1, 2, … with these values of x.
std::vector<std::int64_t> firing_steps(const config::GateSettings& settings, const std::vector<double>& x,
                                       double y = 0) {
  Gates gates({settings}, small_schema(), 0);
  std::vector<std::int64_t> steps;
  for (std::size_t i = 0; i < x.size(); ++i) {
    gates.observe(row(static_cast<std::int64_t>(i) + 1, x[i], y));
    for (const Firing& firing : gates.decide(static_cast<std::int64_t>(i) + 1)) steps.push_back(firing.step);
  }
  return steps;
}
using Steps = std::vector<std::int64_t>;

TEST(Gate, Comparisons) {
  const std::vector<double> x{1, 2, 3};
  EXPECT_EQ(firing_steps(gate("x", "<", "2", "warn"), x), (Steps{1}));
  EXPECT_EQ(firing_steps(gate("x", "<=", "2", "warn"), x), (Steps{1}));  // one firing a streak
  EXPECT_EQ(firing_steps(gate("x", ">", "2", "warn"), x), (Steps{3}));
  EXPECT_EQ(firing_steps(gate("x", ">=", "2", "warn"), x), (Steps{2}));
  EXPECT_EQ(firing_steps(gate("x", "in", "[2, 2.5]", "warn"), x), (Steps{1, 3}));
  EXPECT_EQ(firing_steps(gate("x", "finite", "0", "warn"), x), (Steps{}));
}

TEST(Gate, MetricAgainstMetric) {
  EXPECT_EQ(firing_steps(gate("x", ">", "100 * y", "warn"), {99, 100, 101}, 1), (Steps{3}));
  EXPECT_EQ(firing_steps(gate("x", ">", "y × 2", "warn"), {2, 3}, 1), (Steps{2}));
  EXPECT_EQ(firing_steps(gate("x", ">", "y", "warn"), {1, 2}, 1), (Steps{2}));
  EXPECT_EQ(firing_steps(gate("x", "in", "[-1 * y, y]", "warn"), {-1.5, 0, 1.5}, 1), (Steps{1, 3}));
  EXPECT_EQ(firing_steps(gate("hist.long", ">=", "0.5", "warn"), {0}), (Steps{1}));
  EXPECT_EQ(firing_steps(gate("x", ">", "2 * y - 3e0 + hist.short", "warn"), {1.5, 1.6}, 2), (Steps{2}));
  EXPECT_EQ(firing_steps(gate("x", ">", "-y", "warn"), {-2.5, -1}, 2), (Steps{2}));
  EXPECT_EQ(firing_steps(gate("x", ">", "2 * -1.5 * 3", "warn"), {-9, -8}), (Steps{2}));
  EXPECT_EQ(firing_steps(gate("x", ">", "y − 5e−1", "warn"), {1.5, 1.6}, 2), (Steps{2})) << "long minus signs";
}

TEST(Gate, NanAndInfinitiesFireEveryGate) {
  for (const char* op : {"<", "<=", ">", ">=", "finite"})
    for (const double bad : {kNan, kInf, -kInf})
      EXPECT_EQ(firing_steps(gate("x", op, "0"), {bad}), (Steps{1})) << op << bad;
  EXPECT_EQ(firing_steps(gate("x", "in", "[-1, 1]"), {kNan}), (Steps{1}));
  EXPECT_EQ(firing_steps(gate("x", ">", "2 * y"), {0}, kNan), (Steps{1})) << "a limit that is NaN fires, too";
}

TEST(Gate, RangeAndSustained) {
  config::GateSettings settings = gate("x", "<", "0", "warn");
  settings.sustained = 3;
  EXPECT_EQ(firing_steps(settings, {-1, -1, 1, -1, -1, -1, -1, 1, -1, -1, -1}), (Steps{6, 11}));
  settings.from = 5;
  EXPECT_EQ(firing_steps(settings, {-1, -1, -1, -1, -1, -1, -1}), (Steps{7}))
      << "rows before `from` do not count";
  settings.to = 7;
  EXPECT_EQ(firing_steps(settings, {1, 1, 1, 1, 1, -1, -1, -1, -1}), (Steps{}));
}

TEST(Gate, BadSettingsNameGateAndField) {
  const auto message = [](const config::GateSettings& settings) {
    return message_of([&] { Gates({settings}, small_schema(), 0); });
  };
  expect_all(message(gate("xx", "<", "0")), {"run.ini:7", "gate.g.metric", "'xx'", "did you mean 'x'"});
  expect_all(message(gate("all", "<", "0")), {"gate.g.metric"});
  expect_all(message(gate("x", "~", "0")), {"gate.g.op", "finite"});
  expect_all(message(gate("x", "<", "0", "explode")), {"gate.g.action", "fail_at_end"});
  for (const char* bad : {"", "two", "2 *", "* y", "x * y", "nan", "inf", "2y", "1 +", "+", "y y", "1e999",
                          "1e300 * 1e300", "y - - ", "(y)"})
    expect_all(message(gate("x", "<", bad)), {"gate.g.value"});
  for (const char* bad : {"", "1", "[1]", "[2, 1]", "[1, 2, 3]", "1, 2", "[a, b]", "[", "[]"})
    expect_all(message(gate("x", "in", bad)), {"gate.g.value"});
  for (const char* op : {"decreasing", "increasing"})
    for (const char* bad : {"", "0", "1", "-5", "over", "over x", "1000 * y", "99999999", "over 2.5"})
      expect_all(message(gate("x", op, bad)), {"gate.g.value", "over N"});
  expect_all(message(gate("x", "changes", "0")), {"gate.g.metric", "update_ratio_GROUP"});
  expect_all(message(gate("x", "<", "baseline - 5e6")), {"gate.g.value", "`baseline = RUN`"});
  config::GateSettings settings = gate("x", "<", "0");
  settings.baseline = "/runs/a";
  expect_all(message(settings), {"gate.g.baseline", "does not use it"});
  settings = gate("x", "decreasing", "over 6");
  settings.from = 1, settings.to = 5;
  expect_all(message(settings), {"gate.g.to", "a window of 6"});
  settings = gate("x", "<", "0");
  settings.from = 9, settings.to = 5;
  expect_all(message(settings), {"gate.g.to", "before"});
  settings.to = 10, settings.sustained = 3;
  expect_all(message(settings), {"gate.g.to", "shorter than for = 3"});
}

TEST(Gates, TheStoppingStepDoesNotDependOnWhenRowsArrive) {
  // x falls below 0 at step 20; the run must stop at 24, however early or late rows are delivered.
  const auto x = [](std::int64_t step) { return step >= 20 ? -1.0 : 1.0; };
  for (const std::int64_t delay : {0, 1, 3, 4}) {
    Gates gates({gate("x", "<", "0")}, small_schema(), 4);
    std::int64_t stopped = 0, delivered = 0;
    for (std::int64_t step = 1; step <= 100 && stopped == 0; ++step) {
      while (delivered < step - delay) gates.observe(row(delivered + 1, x(delivered + 1))), ++delivered;
      const auto firings = gates.decide(step);
      if (firings.empty()) continue;
      EXPECT_EQ(firings[0].step, 20);
      stopped = step;
    }
    EXPECT_EQ(stopped, 24) << "delay " << delay;
  }
}

TEST(Gates, ARowThatIsNeededAndMissingIsAFault) {
  Gates gates({gate("x", "<", "0")}, small_schema(), 2);
  EXPECT_NO_THROW(gates.decide(2));
  EXPECT_THROW(gates.decide(3), std::logic_error);
  gates.observe(row(1, 1));
  EXPECT_NO_THROW(gates.decide(3));
  EXPECT_THROW(gates.observe(row(1, 1)), std::logic_error);
}

TEST(Gates, TheLastRowsAreDecidedAtTheEnd) {
  Gates gates({gate("x", "<", "0", "fail_at_end")}, small_schema(), 4);
  for (int step = 1; step <= 6; ++step) {
    gates.observe(row(step, step == 5 ? -1 : 1));
    EXPECT_TRUE(gates.decide(step).empty());
  }
  const auto firings = gates.finish();
  ASSERT_EQ(firings.size(), 1u);
  EXPECT_EQ(firings[0].step, 5);
  EXPECT_EQ(gates.results()[0].status, GateResult::Status::fired);
}

TEST(Gates, AResumedRunStopsWhereTheUninterruptedOneDoes) {
  config::GateSettings settings = gate("x", "<", "0");
  settings.sustained = 10;
  const auto x = [](std::int64_t step) { return step >= 15 ? -1.0 : 1.0; };
  const auto stop = [&](Gates& gates, std::int64_t from) {
    for (std::int64_t step = from; step <= 100; ++step) {
      gates.observe(row(step, x(step)));
      if (!gates.decide(step).empty()) return step;
    }
    return std::int64_t{0};
  };
  Gates whole({settings}, small_schema(), 4);
  const std::int64_t expected = stop(whole, 1);
  EXPECT_EQ(expected, 28);
  for (const std::int64_t resumed : {1, 10, 15, 20, 27}) {
    std::vector<Row> rows;
    for (std::int64_t step = 1; step <= resumed; ++step) rows.push_back(row(step, x(step)));
    Gates gates({settings}, small_schema(), 4);
    EXPECT_TRUE(gates.restore(rows, resumed).empty());
    EXPECT_EQ(stop(gates, resumed + 1), expected) << "resumed at " << resumed;
    EXPECT_EQ(gates.results()[0].step, whole.results()[0].step);
  }
}

TEST(Gates, NanAbortLooksAtWhatMustBeFiniteAndNamesTheTensor) {
  Gates gates({gate("all", "finite", "0")}, small_schema(), 0);
  gates.observe(row(1, 1, kNan));  // y may be NaN
  EXPECT_TRUE(gates.decide(1).empty());
  Row bad = row(2, kNan);
  bad.bad_tensor = "/heads/c51/online/w";
  gates.observe(bad);
  const auto firings = gates.decide(2);
  ASSERT_EQ(firings.size(), 1u);
  expect_all(firings[0].sentence, {"stops the run", "x was nan", "step 2", "/heads/c51/online/w"});
}

TEST(Gates, OneSentenceSaysWhatAndWhereToLook) {
  config::GateSettings settings = gate("x", "<", "-0.3");
  settings.name = "calm", settings.from = 2, settings.sustained = 2;
  Gates gates({settings}, small_schema(), 0);
  for (int step = 1; step <= 3; ++step) gates.observe(row(step, -0.41234567));
  const auto firings = gates.finish();
  ASSERT_EQ(firings.size(), 1u);
  EXPECT_EQ(firings[0].sentence,
            "gate 'calm' stops the run: x was -0.412346 USD at step 3 (x < -0.3 for 2 iterations in a row, "
            "from step 2; "
            "limit -0.3); look at the weather.");
}

TEST(Gates, NothingIsDecidedAfterAnAbort) {
  Gates gates({gate("x", "<", "0"), gate("y", ">", "0", "warn")}, small_schema(), 0);
  gates.observe(row(1, -1, 1));
  gates.observe(row(2, -1, 1));
  EXPECT_EQ(gates.finish().size(), 2u) << "both gates of the row, no later row";
  EXPECT_EQ(gates.results()[1].step, 1);
}

TEST(Gates, TheBuiltInOnesFitTheTrainingSchema) {
  // As written in the config's table: a rename in either place must fail here.
  config::GateSettings agree{.name = "q_pi_agree", .origin = "default"},
      nan{.name = "nan_abort", .origin = "default"};
  for (const config::Assignment& a : config::builtin_gates()) {
    config::GateSettings& settings = a.key.starts_with("gate.nan_abort") ? nan : agree;
    const std::string field = a.key.substr(a.key.rfind('.') + 1);
    if (field == "metric") settings.metric = a.value;
    if (field == "op") settings.op = a.value;
    if (field == "value") settings.value = a.value;
    if (field == "action") settings.action = a.value;
    if (field == "from") settings.from = *to_integer(a.value);
    if (field == "for") settings.sustained = *to_integer(a.value);
  }
  const MetricSchema schema = training_schema({{"c51", true, false}}, {"a", "b"});
  Gates gates({nan, agree}, schema, 4);
  std::int64_t stopped = 0;
  for (std::int64_t step = 1; step <= 1000 && stopped == 0; ++step) {
    Row now(schema);
    for (std::size_t place = 1; place < schema.size(); ++place) now.put(place, 0);
    now.set("step", static_cast<double>(step)).set("q_pi_agree_ema", -0.9);
    gates.observe(now);
    const auto firings = gates.decide(step);
    if (firings.empty()) continue;
    EXPECT_EQ(firings[0].gate, "q_pi_agree");
    stopped = step;
  }
  EXPECT_EQ(stopped, agree.from + agree.sustained - 1 + 4);
}

}  // namespace
}  // namespace foxhunt::diagnostics
