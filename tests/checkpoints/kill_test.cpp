#include <signal.h>
#include <time.h>

#include <chrono>
#include <cmath>
#include <foxhunt/checkpoints/reader.hpp>
#include <foxhunt/checkpoints/store.hpp>

#include "helpers.hpp"

namespace foxhunt::checkpoints::test {
namespace {

// Writes a byte to `progress` before the first and after every save.
[[noreturn]] void save_for_ever(const fs::path& folder, std::uint64_t first, int progress) {
  Store store(folder, {.keep_last = 3, .best_metric = "step"});
  for (std::uint64_t step = first;; ++step) {
    if (write(progress, "s", 1) != 1) _exit(1);
    store.save(step, Sample(step).checkpoint(), static_cast<double>(step));
  }
}

void sleep_for(double seconds) {
  timespec time{static_cast<time_t>(seconds), static_cast<long>((seconds - std::floor(seconds)) * 1e9)};
  while (nanosleep(&time, &time) != 0) {
  }
}

/// Kills a writer at a random instant of its save after `saves` whole ones.
void run_and_kill(const fs::path& folder, std::uint64_t first, int saves, double part_of_a_save) {
  int progress[2];
  ASSERT_EQ(pipe(progress), 0);
  const pid_t child = fork();
  if (child == 0) save_for_ever(folder, first, progress[1]);
  close(progress[1]);
  auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double> duration{};
  for (int i = 0; i <= saves; ++i) {
    char byte;
    ASSERT_EQ(read(progress[0], &byte, 1), 1) << "the writer ended by itself";
    duration = std::chrono::steady_clock::now() - start;
    start += std::chrono::duration_cast<std::chrono::steady_clock::duration>(duration);
  }
  sleep_for(std::min(duration.count(), 0.2) * part_of_a_save);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  close(progress[0]);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
}

// Each round goes on where the last was killed, as a resumed run does.
TEST(Kill, AtAnyInstantLatestIsWhole) {
  const TemporaryFolder folder;
  std::mt19937_64 random(3);
  std::uint64_t step = 1;
  int rounds_with_new_checkpoints = 0;
  Store(folder.path()).save(0, Sample(0).checkpoint());
  for (int round = 0; round < 100; ++round) {
    ASSERT_NO_FATAL_FAILURE(
        run_and_kill(folder.path(), step, static_cast<int>(random() % 4), 1.2 * std::ldexp(random(), -64)));
    for (const char* name : {"latest.h5", "best.h5"}) {
      if (!fs::exists(folder / name)) {
        ASSERT_STRNE(name, "latest.h5");
        continue;
      }
      const Reader reader(folder / name);
      Sample loaded(~std::uint64_t{0});
      reader.load(loaded.views());
      ASSERT_EQ(loaded, Sample(static_cast<std::uint64_t>(reader.integer("step"))));
    }
    for (const auto& stored : Store(folder.path()).steps()) {
      ASSERT_EQ(Reader(stored.file).integer("step"), static_cast<std::int64_t>(stored.step));
    }
    const auto latest = static_cast<std::uint64_t>(Reader(folder / "latest.h5").integer("step"));
    rounds_with_new_checkpoints += latest >= step;
    step = latest + 1;
  }
  EXPECT_GE(rounds_with_new_checkpoints, 50) << "the kills came too early to test anything";
  Store(folder.path(), {.keep_last = 3}).save(step + 1, Sample(step + 1).checkpoint());
  for (const auto& name : folder.names()) EXPECT_FALSE(name.starts_with(".")) << name << " was left over";
  EXPECT_EQ(Store(folder.path()).steps().size(), 3u);
}

}  // namespace
}  // namespace foxhunt::checkpoints::test
