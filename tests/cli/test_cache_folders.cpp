// Kernel caches that are shared, damaged, closed or full: a run never fails on them, and never gets wrong code.
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstring>

#include "support.hpp"

namespace foxhunt::test {
namespace {

int compiled(const Outcome& o) {
  const size_t at = o.err.find("kernels: compiled ");
  return at == std::string::npos ? -1 : std::stoi(o.err.substr(at + 18));
}

Environment cache_in(const fs::path& folder) { return {{"FOXHUNT_CACHE_DIR", folder.string()}}; }

/// A file system of this process's own (and its children's) on `folder`; it goes with the process.
bool mount_small(const fs::path& folder, const char* options, unsigned long flags) {
  fs::create_directories(folder);
  static const bool apart = unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  return apart && mount("tmpfs", folder.c_str(), "tmpfs", flags, options) == 0;
}

TEST(CliCacheFolders, TwoStartsOnOneEmptyCache) {
  const Scratch s;
  const Environment cache = cache_in(s / "cache");
  Child a(tiny_run("a"), s.folder(), cache), b(tiny_run("b"), s.folder(), cache);
  const Outcome first = a.wait(), second = b.wait();
  ASSERT_EQ(first.code, 0) << shown(first);
  ASSERT_EQ(second.code, 0) << shown(second);
  EXPECT_EQ(foxhunt({"diff", "a", "b"}, s.folder()).code, 0);
  EXPECT_EQ(compiled(foxhunt(tiny_run("c"), s.folder(), cache)), 0);
  for (const std::string& name : entries(s / "cache")) EXPECT_TRUE(name.ends_with(".fhk")) << name;
}

TEST(CliCacheFolders, DamagedEntriesAreCompiledAgain) {
  const Scratch s;
  const Environment cache = cache_in(s / "cache");
  const Outcome first = foxhunt(tiny_run("a"), s.folder(), cache);
  ASSERT_EQ(first.code, 0) << shown(first);
  int damaged = 0;
  for (const std::string& name : entries(s / "cache")) {
    const fs::path file = s / "cache" / name;
    std::string bytes = slurp(file);
    switch (damaged++ % 4) {
      case 0: bytes[bytes.size() / 2] ^= 1; break;
      case 1: bytes.resize(bytes.size() / 2); break;
      case 2: bytes.clear(); break;
      case 3: std::fill(bytes.begin(), bytes.end(), '\0'); break;
    }
    write(file, bytes);
  }
  const Outcome second = foxhunt(tiny_run("b"), s.folder(), cache);
  ASSERT_EQ(second.code, 0) << shown(second);
  EXPECT_EQ(compiled(second), compiled(first));
  EXPECT_EQ(foxhunt({"diff", "a", "b"}, s.folder()).code, 0);
  EXPECT_EQ(compiled(foxhunt(tiny_run("c"), s.folder(), cache)), 0) << "the damaged entries were replaced";
}

/// A cache that cannot be had: one warning, all kernels compiled, the same result, and `foxhunt cache` says why.
void expect_no_cache(const fs::path& folder, const Scratch& s, const std::string& why) {
  const Outcome o = foxhunt(tiny_run("run"), s.folder(), cache_in(folder));
  ASSERT_EQ(o.code, 0) << shown(o);
  EXPECT_GT(compiled(o), 10);
  const size_t first = o.err.find("warning: ");
  ASSERT_NE(first, std::string::npos) << o.err;
  EXPECT_TRUE(contains(o.err, why));
  EXPECT_EQ(o.err.find("warning: ", first + 1), std::string::npos) << "more than one warning:\n" << o.err;
}

TEST(CliCacheFolders, AFolderThatCannotBeMade) {
  const Scratch s;
  write(s / "file", "in the way");
  expect_no_cache(s / "file/cache", s, "cannot be made");
  const Outcome o = foxhunt({"cache"}, s.folder(), cache_in(s / "file/cache"));
  EXPECT_TRUE(refused(o, "cannot be made"));
  EXPECT_EQ(o.err.find("warning"), std::string::npos) << "said twice:\n" << o.err;
}

TEST(CliCacheFolders, AFolderThatOthersMayWriteTo) {
  const Scratch s;
  fs::create_directory(s / "open");
  fs::permissions(s / "open", fs::perms::all);
  expect_no_cache(s / "open", s, "chmod 700");
  EXPECT_EQ(entries(s / "open"), std::set<std::string>());
}

TEST(CliCacheFolders, AReadOnlyFolder) {
  const Scratch s;
  fs::create_directory(s / "cache");
  fs::permissions(s / "cache", fs::perms::owner_read | fs::perms::owner_exec);
  // Root may write where the mode forbids it, but not on a file system that is mounted read-only.
  if (geteuid() == 0 && !mount_small(s / "cache", "size=1m,mode=0700", MS_RDONLY))
    GTEST_SKIP() << "this root cannot mount: " << std::strerror(errno);
  expect_no_cache(s / "cache", s, "cannot be kept");
  if (geteuid() == 0) umount((s / "cache").c_str());
  fs::permissions(s / "cache", fs::perms::owner_all);
}

TEST(CliCacheFolders, AFullFolder) {
  const Scratch s;
  if (geteuid() != 0 || !mount_small(s / "cache", "size=64k,mode=0700", 0)) GTEST_SKIP() << "only a root that can mount has a full folder at hand";
  expect_no_cache(s / "cache", s, "No space left");
  for (const std::string& name : entries(s / "cache")) EXPECT_TRUE(name.ends_with(".fhk")) << "half an entry: " << name;
  EXPECT_TRUE(contains(foxhunt({"doctor"}, s.folder(), cache_in(s / "cache")).out, "takes no new kernels"));
  umount((s / "cache").c_str());
}

}  // namespace
}  // namespace foxhunt::test
