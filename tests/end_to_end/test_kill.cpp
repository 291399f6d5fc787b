// SIGKILL at random instants: latest.h5 always loads, resume always works, and the end is the same.
#include <gtest/gtest.h>
#include <signal.h>

#include <foxhunt/checkpoints/reader.hpp>
#include <random>
#include <thread>

#include "run.hpp"

namespace foxhunt::test {
namespace {

void kill_and_resume(int kills, unsigned seed) {
  const Scratch s;
  std::mt19937 random(seed);
  // Long enough that no attempt ends by itself, and a checkpoint at every other iteration so that most kills fall
  // into the writing of one.
  const Arguments settings{"--trainer.checkpoint_every", "2", "--trainer.threads", "1", "--trainer.keep_checkpoints", "2"};
  const Arguments first = small_run("run", 1'000'000, settings);
  int with_checkpoint = 0;
  for (int k = 0; k < kills; ++k) {
    const bool resumable = fs::exists(latest(s / "run"));
    // A run killed before its first checkpoint has nothing to go on from: it starts anew.
    if (!resumable) fs::remove_all(s / "run");
    Child child(resumable ? Arguments{"train", "--resume", "run"} : first, s.folder());
    // Half of the kills fall anywhere, a quarter some milliseconds after a new row of metrics, a quarter after a new
    // checkpoint, however slow the machine is.
    if (k % 2) {
      const auto seen = [&]() -> size_t {
        if (k % 4 == 1) return slurp(s / "run/diag.jsonl").size();
        std::error_code none;
        return static_cast<size_t>(fs::last_write_time(latest(s / "run"), none).time_since_epoch().count());
      };
      const size_t before = seen();
      for (int i = 0; i < 10'000 && child.running() && seen() == before; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 900));
    }
    ASSERT_TRUE(child.running()) << child.wait().err;
    child.signal(SIGKILL);
    child.wait();
    if (!fs::exists(latest(s / "run"))) continue;
    ++with_checkpoint;
    const checkpoints::Reader file(latest(s / "run"));
    EXPECT_GT(file.integer("step"), 0);
  }
  EXPECT_GT(with_checkpoint, kills / 2);

  const int total = static_cast<int>(checkpoints::Reader(latest(s / "run")).integer("step")) + 4;
  const Outcome o = foxhunt({"train", "--resume", "run", "--trainer.iterations", std::to_string(total)}, s.folder());
  ASSERT_EQ(o.code, 0) << o.err;
  ASSERT_EQ(foxhunt(small_run("whole", total, settings), s.folder()).code, 0);
  const Outcome d = foxhunt({"diff", latest(s / "whole").string(), latest(s / "run").string()}, s.folder());
  EXPECT_EQ(d.code, 0) << d.out;
  EXPECT_EQ(comparable_rows(s / "whole"), comparable_rows(s / "run"));
  for (const auto& e : fs::directory_iterator(s / "run/checkpoints"))
    EXPECT_EQ(e.path().extension(), ".h5") << e.path() << " was left behind";
}

TEST(Kill, TenTimes) { kill_and_resume(10, 1); }
TEST(Kill, SlowAHundredTimes) { kill_and_resume(100, 2); }

}  // namespace
}  // namespace foxhunt::test
