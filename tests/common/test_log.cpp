#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "common/log.hpp"
#include "common/text.hpp"

namespace foxhunt {
namespace {

TEST(Log, LinesGoToStandardErrorAsTheyAre) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  log::info("kernels: compiled 3 {} %d");
  log::warning("careful");
  log::error("no such file");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "kernels: compiled 3 {} %d\nwarning: careful\nfoxhunt: no such file\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Log, StatusStaysBelowOtherLines) {
  testing::internal::CaptureStderr();
  log::status("10 %");
  log::info("hello");
  log::status("");
  log::info("end");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "\r10 %\x1b[K"
            "\r\x1b[Khello\n\r10 %\x1b[K"
            "\r\x1b[K"
            "end\n");
}

TEST(Log, ThreadsDoNotMixLines) {
  testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([] {
        for (int i = 0; i < 50; ++i) log::info(std::string(100, 'x'));
      });
  }
  const std::string all = testing::internal::GetCapturedStderr();
  EXPECT_EQ(all.size(), 4u * 50 * 101);
  for (std::size_t i = 100; i < all.size(); i += 101) ASSERT_EQ(all[i], '\n');
}

TEST(Log, AFileIsNoTerminal) {
  testing::internal::CaptureStderr();
  const log::Terminal terminal = log::terminal();
  testing::internal::GetCapturedStderr();
  EXPECT_FALSE(terminal.interactive);
  EXPECT_FALSE(terminal.colour);
}

}  // namespace
}  // namespace foxhunt
