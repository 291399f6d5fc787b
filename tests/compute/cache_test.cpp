#include "compute/cache.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "compute/warning.hpp"
#include "support.hpp"

namespace foxhunt::compute::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> warnings;
CacheKey key_of(const std::string& text) { return Sha256().add(text).digest(); }
Bytes payload_of(size_t n, int salt = 0) {
  Bytes bytes(n);
  for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i * 31 + static_cast<size_t>(salt));
  return bytes;
}
std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
size_t files_in(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}
mode_t mode_of(const std::string& path) {
  struct stat s {};
  ::stat(path.c_str(), &s);
  return s.st_mode & 0777;
}

struct CacheTest : ::testing::Test {
  CacheTest() {
    warnings.clear();
    set_warning_sink([](const std::string& text) { warnings.push_back(text); });
  }
  ~CacheTest() override { set_warning_sink(nullptr); }
  TemporaryFolder outer;
  std::string folder = outer / "deep/cache";
  const uint64_t roomy = uint64_t{64} << 20;
  CacheKey key = key_of("k");
  std::string entry = folder + "/" + to_hex(key) + ".fhk";
};

TEST(Sha256Test, KnownAnswers) {
  EXPECT_EQ(to_hex(Sha256().digest()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(Sha256().add("abc").digest()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(Sha256().add("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").digest()),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  Sha256 pieces;
  for (int i = 0; i < 1000000 / 125; ++i) pieces.add(std::string(125, 'a'));
  EXPECT_EQ(to_hex(pieces.digest()), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_F(CacheTest, KeepsBytesInAPrivateFolder) {
  const Cache cache(folder, roomy);
  EXPECT_EQ(mode_of(folder), 0700u);
  EXPECT_FALSE(cache.load(key));
  for (const size_t n : {0u, 1u, 5000u}) {
    cache.store(key, payload_of(n));
    EXPECT_EQ(cache.load(key), payload_of(n));
  }
  EXPECT_FALSE(cache.load(key_of("other")));
  EXPECT_EQ(mode_of(entry), 0600u);
  EXPECT_EQ(files_in(folder), 1u) << "nothing unfinished is left";
  EXPECT_EQ(cache.report().entries, 1u);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheTest, EveryDamagedByteIsSeenAndEveryTruncation) {
  const Cache cache(folder, roomy);
  cache.store(key, payload_of(300));
  const std::string good = read(entry);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    write(entry, bad);
    ASSERT_FALSE(cache.load(key)) << "byte " << i;
  }
  for (size_t n = 0; n < good.size(); ++n) {
    write(entry, good.substr(0, n));
    ASSERT_FALSE(cache.load(key)) << "length " << n;
  }
  write(entry, good + "x");
  EXPECT_FALSE(cache.load(key)) << "longer";
  cache.store(key_of("other"), payload_of(300));
  write(entry, read(folder + "/" + to_hex(key_of("other")) + ".fhk"));
  EXPECT_FALSE(cache.load(key)) << "an entry under another's name";

  bool cached = true;
  EXPECT_EQ(load_or_compile(
                cache, key, [] { return payload_of(7); }, cached),
            payload_of(7));
  EXPECT_FALSE(cached);
  EXPECT_EQ(cache.load(key), payload_of(7)) << "replaced by a good one";
}

TEST_F(CacheTest, FailuresAreNotKept) {
  const Cache cache(folder, roomy);
  bool cached = false;
  EXPECT_THROW(load_or_compile(
                   cache, key, []() -> Bytes { throw Error("planted"); }, cached),
               Error);
  EXPECT_EQ(files_in(folder), 0u);
}

TEST_F(CacheTest, OthersMustNotBeAbleToWrite) {
  fs::create_directories(folder);
  ::chmod(folder.c_str(), 0770);
  const Cache group(folder, roomy);
  EXPECT_NE(group.report().problem.find("chmod 700"), std::string::npos);
  group.store(key, payload_of(10));
  EXPECT_FALSE(group.load(key));
  EXPECT_EQ(files_in(folder), 0u);
  EXPECT_EQ(warnings.size(), 1u);

  ::chmod(folder.c_str(), 0700);
  const Cache mine(folder, roomy);
  mine.store(key, payload_of(10));
  ::chmod(entry.c_str(), 0666);
  EXPECT_FALSE(mine.load(key)) << "an entry that others may write";
  fs::remove(entry);
  write(outer / "elsewhere", "x");
  fs::create_symlink(outer / "elsewhere", entry);
  EXPECT_FALSE(mine.load(key)) << "a link";
}

TEST_F(CacheTest, AFolderOfAnotherUserIsRefused) {
  std::string foreign = "/";
  if (::geteuid() == 0) {
    fs::create_directories(folder);
    ASSERT_EQ(::chown(folder.c_str(), 65534, 65534), 0);
    foreign = folder;
  }
  const Cache cache(foreign, roomy);
  EXPECT_NE(cache.report().problem.find("belongs to another user"), std::string::npos)
      << cache.report().problem;
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(CacheTest, AReadOnlyFolderServesAndWarnsOnce) {
  const bool root = ::geteuid() == 0;
  {
    const Cache cache(folder, roomy);
    cache.store(key, payload_of(10));
  }
  for (const std::string& path : {folder, entry}) {
    if (root) {
      ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
    }
  }
  for (fs::path p = folder; p != fs::path(outer.path()).parent_path(); p = p.parent_path())
    ::chmod(p.c_str(), 0755);
  ::chmod(folder.c_str(), 0500);
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  {
    const Cache cache(folder, roomy);
    EXPECT_EQ(cache.load(key), payload_of(10));
    cache.store(key_of("a"), payload_of(10));
    cache.store(key_of("b"), payload_of(10));
    EXPECT_EQ(warnings.size(), 1u);
    EXPECT_FALSE(cache.load(key_of("a")));
    const Cache impossible(folder + "/below", roomy);
    EXPECT_NE(impossible.report().problem.find("cannot be made"), std::string::npos);
  }
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ::chmod(folder.c_str(), 0700);
}

TEST_F(CacheTest, AFullDiskLeavesNothingBehind) {
  const Cache cache(folder, roomy);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{1000, before.rlim_max};
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &tight);
  cache.store(key, payload_of(5000));
  cache.store(key_of("b"), payload_of(5000));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  EXPECT_FALSE(cache.load(key));
  EXPECT_EQ(files_in(folder), 0u);
  EXPECT_EQ(warnings.size(), 1u);
  cache.store(key, payload_of(5000));
  EXPECT_EQ(cache.load(key), payload_of(5000));
}

TEST_F(CacheTest, TheOldestUsedGoFirst) {
  const Cache cache(folder, 2500);
  for (const char* name : {"a", "b"}) cache.store(key_of(name), payload_of(1000));
  EXPECT_TRUE(cache.load(key_of("a")));  // now younger than b
  cache.store(key_of("c"), payload_of(1000));
  EXPECT_TRUE(cache.load(key_of("a")));
  EXPECT_FALSE(cache.load(key_of("b")));
  EXPECT_TRUE(cache.load(key_of("c")));
  cache.store(key_of("huge"), payload_of(9000));
  EXPECT_TRUE(cache.load(key_of("huge"))) << "what was just made is kept";
  EXPECT_EQ(cache.report().entries, 1u);
}

TEST_F(CacheTest, ClearRemovesEntriesAndNothingElse) {
  const Cache cache(folder, roomy);
  cache.store(key, payload_of(10));
  write(folder + "/precious.txt", "x");
  EXPECT_EQ(cache.clear(), 1u);
  EXPECT_EQ(files_in(folder), 1u);
}

TEST_F(CacheTest, TheEnvironmentChoosesTheFolder) {
  const Setting own("FOXHUNT_CACHE_DIR", ""), xdg("XDG_CACHE_HOME", outer.path()),
      home("HOME", outer / "home");
  EXPECT_EQ(Cache::from_environment().report().folder, outer / "foxhunt");
  {
    const Setting relative("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(Cache::from_environment().report().folder, outer / "home/.cache/foxhunt");
  }
  const Setting explicit_folder("FOXHUNT_CACHE_DIR", outer / "mine"), cap("FOXHUNT_CACHE_MAX_MB", "3");
  EXPECT_EQ(cache_report().folder, outer / "mine");
  EXPECT_EQ(cache_report().max_bytes, 3u << 20);
  const Setting bad("FOXHUNT_CACHE_MAX_MB", "3 GB");
  EXPECT_NE(error_of([] { cache_report(); }).find("FOXHUNT_CACHE_MAX_MB is '3 GB'"), std::string::npos);
}

TEST(CacheKeyTest, CoversEveryByteAndNothingElse) {
  const UnitSource source{"f.cu", "plugin p", "text", {{"a.cuh", "aa"}, {"b.cuh", "bb"}}};
  const CacheKey base = unit_key(source, "cpu x", "g++ 12", {"-O3", "-g0"});
  UnitSource twin = source;
  twin.owner = "plugin q";
  EXPECT_EQ(unit_key(twin, "cpu x", "g++ 12", {"-O3", "-g0"}), base) << "two heads share what is equal";
  std::vector<CacheKey> keys{base, unit_key(source, "cpu y", "g++ 12", {"-O3", "-g0"}),
                             unit_key(source, "cpu x", "g++ 12.1", {"-O3", "-g0"}),
                             unit_key(source, "cpu x", "g++ 12", {"-g0", "-O3"}),
                             unit_key(source, "cpu x", "g++ 12", {"-O3-g0"})};
  for (const auto& change : std::vector<std::function<void(UnitSource&)>>{
           [](UnitSource& s) { s.text += " "; }, [](UnitSource& s) { s.includes[1].text = "bc"; },
           [](UnitSource& s) { s.includes[0].name = "A.cuh"; }, [](UnitSource& s) { s.includes.pop_back(); },
           [](UnitSource& s) { s.includes[0].text = "a", s.includes[0].name = "a.cuha"; }}) {
    UnitSource other = source;
    change(other);
    keys.push_back(unit_key(other, "cpu x", "g++ 12", {"-O3", "-g0"}));
  }
  for (size_t i = 0; i < keys.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]) << i << " " << j;
  EXPECT_NE(cubin_key(source, "sm_90", true, "NVRTC 13"), cubin_key(source, "sm_90", false, "NVRTC 13"));
}

}  // namespace
}  // namespace foxhunt::compute::test
