// Gates in whole runs: collapse, NaN, baselines, dependence on other runs.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "run.hpp"

namespace foxhunt::test {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string last_line(const std::string& out) { return out.substr(out.rfind('\n', out.size() - 2) + 1); }

std::string device() {
  const char* named = std::getenv("FOXHUNT_TEST_DEVICE");
  return named ? named : "cpu";
}

/// Makes one value of a dataset NaN.
void plant_nan(const fs::path& file, const char* dataset, size_t at) {
  const hid_t f = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t d = H5Dopen2(f, dataset, H5P_DEFAULT);
  ASSERT_GE(d, 0) << dataset;
  const hid_t space = H5Dget_space(d);
  std::vector<float> values(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
  ASSERT_GE(H5Dread(d, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  values.at(at) = std::nanf("");
  ASSERT_GE(H5Dwrite(d, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(d);
  H5Fclose(f);
}

TEST(Gates, ARunThatCollapsesOnPurposeIsStoppedAndSaysSoInOneSentence) {
  const Scratch s;
  const Outcome o = foxhunt({"train", FOXHUNT_SOURCE_DIR "/experiments/phases/collapse.ini", "--run", "run", "--trainer.device", device(),
                             "--trainer.accounts", "64", "--env.rows", "32768", "--replay.start", "1024", "--replay.capacity", "4096"},
                            s.folder());
  EXPECT_EQ(o.code, 3) << o.err;
  const std::string last = last_line(o.out);
  EXPECT_TRUE(holds(last, "aborted: gate 'q_pi_agree' stops the run: q_pi_agree_ema was -0.")) << last;
  EXPECT_TRUE(holds(last, "the policy acts against the values.")) << last;
  EXPECT_LE(comparable_rows(s / "run").size(), 1000u);
  const std::string verdict = slurp(s / "run/verdict.json");
  for (const char* part : {"\"verdict\": \"aborted\"", "\"exit_code\": 3", "\"name\": \"q_pi_agree\"", "\"status\": \"fired\"", "\"limit\": -0.3"})
    EXPECT_TRUE(holds(verdict, part)) << part << "\n" << verdict;
}

TEST(Gates, TheSameRunWithASupportThatHoldsItsReturnsIsNotStopped) {
  const Scratch s;
  const Outcome o = foxhunt({"train", FOXHUNT_SOURCE_DIR "/experiments/phases/collapse.ini", "--run", "run", "--trainer.device", device(),
                             "--trainer.accounts", "64", "--env.rows", "32768", "--replay.start", "1024", "--replay.capacity", "4096",
                             "--trainer.iterations", "300", "--c51.v_min", "-3"},
                            s.folder());
  EXPECT_EQ(o.code, 0) << o.err;
}

TEST(Gates, ANanPlantedInOneWeightIsNamed) {
  const Scratch s;
  ASSERT_EQ(foxhunt(small_run("source", 4), s.folder()).code, 0);
  for (const char* tensor : {"/heads/c51/online/b", "/encoder/online/b0", "/value/online/w"}) {
    const fs::path file = s / "bad.h5";
    fs::copy_file(fs::canonical(latest(s / "source")), file, fs::copy_options::overwrite_existing);
    plant_nan(file, tensor, 0);
    fs::remove_all(s / "run");
    const Outcome o = foxhunt(small_run("run", 50, {"--init-from", "bad.h5"}), s.folder());
    EXPECT_EQ(o.code, 3) << o.err;
    EXPECT_TRUE(holds(last_line(o.out), std::string("the first tensor that went bad is ") + tensor)) << o.out;
    EXPECT_EQ(comparable_rows(s / "run").size(), 5u) << "seen in the first iteration, decided a lag of 4 later";
  }
}

TEST(Gates, ABaselineOfAnotherLengthIsComparedWhereBothAre) {
  const Scratch s;
  ASSERT_EQ(foxhunt(small_run("base", 20), s.folder()).code, 0);
  const auto against = [&](const std::string& run, int iterations, const std::string& value, const Arguments& more = {}) {
    Arguments all{"--gate.behind.metric", "pnl_cum_usd", "--gate.behind.op", "<", "--gate.behind.value", value, "--gate.behind.baseline", "base",
                  "--gate.behind.action", "abort"};
    all.insert(all.end(), more.begin(), more.end());
    return foxhunt(small_run(run, iterations, all), s.folder());
  };
  // The same seed gives the same PnL: a dollar less is never reached, a dollar more always is.
  const Outcome same = against("same", 20, "baseline - 1");
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_FALSE(holds(same.err, "its baseline ends")) << same.err;
  const Outcome shorter = against("shorter", 10, "baseline + 1", {"--gate.behind.from", "6"});
  EXPECT_EQ(shorter.code, 3) << shorter.err;
  EXPECT_EQ(comparable_rows(s / "shorter").size(), 10u);
  EXPECT_TRUE(holds(last_line(shorter.out), "at step 6 (pnl_cum_usd < baseline + 1, from step 6")) << shorter.out;
  // Past the baseline's end nothing is compared, and that is said at the start.
  const Outcome longer = against("longer", 30, "baseline - 1");
  EXPECT_EQ(longer.code, 0) << longer.err;
  EXPECT_TRUE(holds(longer.err, "gate 'behind': its baseline ends with iteration 20; later ones are not compared")) << longer.err;
  EXPECT_TRUE(holds(slurp(s / "longer/verdict.json"), "\"step\": 20")) << "the last step that was compared";
  const Outcome beyond = against("beyond", 30, "baseline + 1", {"--gate.behind.from", "21"});
  EXPECT_EQ(beyond.code, 1);
  EXPECT_TRUE(holds(beyond.err, "gate.behind.baseline")) << beyond.err;
  EXPECT_FALSE(fs::exists(s / "beyond"));
}

TEST(Gates, AResumedRunComparesWithItsBaselineAsIfItHadNeverStopped) {
  const Scratch s;
  ASSERT_EQ(foxhunt(small_run("base", 20), s.folder()).code, 0);
  const Arguments gate{"--gate.behind.metric",   "pnl_cum_usd", "--gate.behind.op",   "<", "--gate.behind.value", "baseline + 1", "--gate.behind.baseline",
                       "base",                   "--gate.behind.action", "fail_at_end", "--gate.behind.for", "12"};
  ASSERT_EQ(foxhunt(small_run("run", 10, gate), s.folder()).code, 0);
  const Outcome o = foxhunt({"train", "--resume", "run", "--trainer.iterations", "20"}, s.folder());
  EXPECT_EQ(o.code, 2) << o.err;
  EXPECT_TRUE(holds(last_line(o.out), "at step 12")) << o.out;
}

TEST(Gates, ATensorThatStandsStillStopsTheRun) {
  const Scratch s;
  const Arguments gate{"--gate.alive.metric", "update_ratio_c51", "--gate.alive.op", "changes", "--gate.alive.for", "5", "--gate.alive.from", "4"};
  EXPECT_EQ(foxhunt(small_run("alive", 20, gate), s.folder()).code, 0);
  Arguments frozen = gate;
  frozen.insert(frozen.end(), {"--q.lr", "0"});
  const Outcome o = foxhunt(small_run("frozen", 20, frozen), s.folder());
  EXPECT_EQ(o.code, 3) << o.err;
  EXPECT_TRUE(holds(last_line(o.out), "update_ratio_c51.w was 0 at step 8")) << o.out;
}

TEST(Gates, RunsDependOnVerdicts) {
  const Scratch s;
  const Outcome before = foxhunt(small_run("second", 2, {"--after", "first:pass"}), s.folder());
  EXPECT_EQ(before.code, 1);
  EXPECT_TRUE(holds(before.err, "first:pass")) << before.err;
  EXPECT_FALSE(fs::exists(s / "second")) << "refused before anything is made";
  ASSERT_EQ(foxhunt(small_run("first", 2), s.folder()).code, 0);
  ASSERT_EQ(foxhunt(small_run("failed", 2, {"--gate.hot.metric", "entropy", "--gate.hot.op", "<", "--gate.hot.value", "100", "--gate.hot.action", "fail_at_end"}),
                    s.folder())
                .code,
            2);
  const Outcome both = foxhunt(small_run("second", 2, {"--after", "first:pass failed:pass"}), s.folder());
  EXPECT_EQ(both.code, 1);
  EXPECT_TRUE(holds(both.err, "failed:pass, which is failed: gate 'hot' fails the run")) << both.err;
  // From a file in another folder: relative to that file.
  fs::create_directory(s / "configs");
  std::ofstream(s / "configs/third.ini") << "after = ../first:pass\n";
  Arguments third = small_run("third", 2);
  third.insert(third.begin() + 1, "configs/third.ini");
  EXPECT_EQ(foxhunt(third, s.folder()).code, 0);
  // A run that has begun goes on, whatever has become of the other.
  fs::remove_all(s / "first");
  EXPECT_EQ(foxhunt({"train", "--resume", "third", "--trainer.iterations", "3"}, s.folder()).code, 0);
  const Outcome word = foxhunt(small_run("second", 2, {"--after", "failed"}), s.folder());
  EXPECT_EQ(word.code, 1);
  EXPECT_TRUE(holds(word.err, "RUN:pass")) << word.err;
}

TEST(Gates, AVerdictIsGoneWhileAResumedRunGoesOn) {
  const Scratch s;
  ASSERT_EQ(foxhunt(small_run("run", 2), s.folder()).code, 0);
  Child child({"train", "--resume", "run", "--trainer.iterations", "1000000"}, s.folder());
  while (child.running() && comparable_rows(s / "run").size() < 4) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(fs::exists(s / "run/verdict.json"));
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait().code, 4);
  EXPECT_TRUE(holds(slurp(s / "run/verdict.json"), "interrupted"));
}

}  // namespace
}  // namespace foxhunt::test
