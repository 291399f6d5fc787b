#include "compute/cpu/pool.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace foxhunt::compute::cpu {
namespace {

TEST(Pool, EveryPieceRunsOnce) {
  for (int threads : {1, 2, 3, 8}) {
    Pool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    std::vector<int> counts(
        1000);  // not atomic: pieces are handed out once and seen by the caller afterwards
    for (int round = 0; round < 50; ++round)
      pool.run(static_cast<int64_t>(counts.size()),
               [&](int64_t i, int) { ++counts[static_cast<size_t>(i)]; });
    for (int count : counts) ASSERT_EQ(count, 50);
  }
}

TEST(Pool, WorkersHaveTheirOwnNumbers) {
  Pool pool(4);
  struct alignas(64) Sum {
    int64_t value = 0;
  };
  std::vector<Sum> sums(4);
  for (int round = 0; round < 200; ++round)
    pool.run(64, [&](int64_t i, int worker) { sums[static_cast<size_t>(worker)].value += i; });
  int64_t total = 0;
  for (const Sum& s : sums) total += s.value;
  EXPECT_EQ(total, 200 * 63 * 32);
}

TEST(Pool, ManyShortJobsWithPauses) {
  Pool pool(3);
  int64_t total = 0;
  for (int round = 0; round < 3000; ++round) {
    std::array<int64_t, 7> parts{};
    pool.run(7, [&](int64_t i, int) { parts[static_cast<size_t>(i)] = i + round; });
    total += std::accumulate(parts.begin(), parts.end(), int64_t{0});
    // Long enough now and then for the workers to fall asleep, or to be about to.
    if (round % 300 == 0) std::this_thread::sleep_for(std::chrono::microseconds(round / 30));
  }
  EXPECT_EQ(total, 7 * (3000 * 2999 / 2) + 21 * 3000);
}

TEST(Pool, AnExceptionEndsTheJobAndThePoolGoesOn) {
  for (int threads : {1, 4}) {
    Pool pool(threads);
    for (int round = 0; round < 50; ++round) {
      EXPECT_THROW(pool.run(100,
                            [&](int64_t i, int) {
                              if (i == 30) throw std::runtime_error("planted");
                            }),
                   std::runtime_error);
      std::atomic<int> ran{0};
      pool.run(10, [&](int64_t, int) { ++ran; });
      ASSERT_EQ(ran, 10);
    }
  }
}

TEST(Pool, NoPiecesNoCalls) {
  Pool pool(2);
  pool.run(0, [](int64_t, int) { FAIL(); });
  pool.run(1, [](int64_t, int worker) { EXPECT_EQ(worker, 0) << "a single piece stays with the caller"; });
}

TEST(Pool, PoolsComeAndGo) {
  for (int i = 0; i < 100; ++i) {
    Pool pool(3);
    if (i % 2) pool.run(5, [](int64_t, int) {});
  }
}

}  // namespace
}  // namespace foxhunt::compute::cpu
