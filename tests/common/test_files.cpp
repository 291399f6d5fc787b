#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <foxhunt/error.hpp>
#include <fstream>
#include <thread>
#include <vector>

#include "common/build_info.hpp"
#include "common/files.hpp"
#include "common/paths.hpp"
#include "common/text.hpp"

namespace foxhunt {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() { fs::create_directories(folder); }
  ~Files() override { fs::remove_all(folder); }
  const fs::path folder = fs::path(testing::TempDir()) / text("foxhunt_files_", ::getpid());
};

std::string message_of(auto action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Files, WritesWholeOrNotAtAll) {
  const fs::path file = folder / "a.txt";
  write_file_atomic(file, "one");
  write_file_atomic(file, std::string("two\0three", 9));
  EXPECT_EQ(read_file(file, 100), std::string("two\0three", 9));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1)
      << "temporary file left";

  // A folder in the target's place: the rename fails after everything was written.
  fs::create_directories(folder / "b" / "inside");
  EXPECT_NE(message_of([&] { write_file_atomic(folder / "b", "x"); }), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2)
      << "temporary file left";
  EXPECT_NE(message_of([&] { write_file_atomic(folder / "none" / "c", "x"); }).find("none/c"),
            std::string::npos);
}

TEST_F(Files, PermissionsFollowTheUmask) {
  const mode_t old = ::umask(027);
  write_file_atomic(folder / "a", "x");
  ::umask(old);
  EXPECT_EQ(fs::status(folder / "a").permissions(), fs::perms(0640));
}

TEST_F(Files, ReadingIsBounded) {
  write_file_atomic(folder / "a", "12345");
  EXPECT_EQ(read_file(folder / "a", 5), "12345");
  EXPECT_NE(message_of([&] { read_file(folder / "a", 4); }).find("more than 4 bytes"), std::string::npos);
  EXPECT_NE(message_of([&] { read_file("/dev/zero", 1000); }).find("/dev/zero"), std::string::npos);
  EXPECT_EQ(read_prefix("/dev/zero", 10), std::string(10, '\0'));
  EXPECT_NE(message_of([&] { read_file(folder / "none", 4); }).find("No such file"), std::string::npos);
  EXPECT_NE(message_of([&] { read_file(folder, 4); }).find("directory"), std::string::npos);
}

TEST_F(Files, ARunNeverOverwritesAnother) {
  make_run_folder(folder / "runs" / "a");
  make_run_folder(folder / "runs" / "a");  // still empty
  write_file_atomic(folder / "runs" / "a" / "config.ini", "");
  EXPECT_NE(message_of([&] { make_run_folder(folder / "runs" / "a"); }).find("--resume"), std::string::npos);
}

TEST_F(Files, NumberedFoldersAreNeverShared) {
  std::vector<fs::path> made(16);
  {
    std::vector<std::jthread> threads;
    for (fs::path& path : made)
      threads.emplace_back([&] { path = make_numbered_folder(folder / "runs", "train"); });
  }
  std::sort(made.begin(), made.end());
  EXPECT_EQ(made.front(), folder / "runs" / "train-0001");
  EXPECT_EQ(made.back(), folder / "runs" / "train-0016");
  EXPECT_EQ(std::unique(made.begin(), made.end()), made.end());
}

TEST(Paths, AreRelativeToTheProgram) {
  const fs::path prefix = executable().parent_path().parent_path();
  EXPECT_TRUE(fs::is_regular_file(executable()));
  EXPECT_EQ(share_folder(), prefix / "share" / "foxhunt");
  EXPECT_EQ(plugin_folder(), library_folder() / "plugins");
}

TEST(BuildInfo, IsFilledIn) {
  EXPECT_EQ(build_info().version.find_first_not_of("0123456789."), std::string::npos);
  EXPECT_TRUE(build_info().commit == "unknown" || build_info().commit.size() >= 40) << build_info().commit;
  EXPECT_NE(build_info().compiler.find("++ "), std::string::npos);
}

}  // namespace
}  // namespace foxhunt
