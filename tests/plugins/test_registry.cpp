#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <foxhunt/error.hpp>
#include <fstream>

#include "common/files.hpp"
#include "config/settings.hpp"
#include "plugins/registry.hpp"

namespace foxhunt::plugins {
namespace {

namespace fs = std::filesystem;

const std::string kSamples = FOXHUNT_TEST_PLUGINS;
const std::string kBuilt = FOXHUNT_BUILT_PLUGINS;

std::string refusal_of(Registry& registry, fh_kind kind, const std::string& name) {
  try {
    registry.open(kind, name);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

class RegistryInFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "foxhunt-plugins-XXXXXX").native();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path folder;
};

TEST(Registry, FindsWhatWasBuilt) {
  Registry registry({{kBuilt, true}});
  EXPECT_NE(registry.find(FH_Q_HEAD, "c51"), nullptr);
  EXPECT_NE(registry.find(FH_REWARD_SHAPER, "identity"), nullptr);
  EXPECT_NE(registry.find(FH_REWARD_SHAPER, "rank_standardize"), nullptr);
  EXPECT_NE(registry.find(FH_POSITION_SIZER, "fixed"), nullptr);
  EXPECT_NE(registry.find(FH_POSITION_SIZER, "variance"), nullptr);
  EXPECT_EQ(registry.find(FH_POSITION_SIZER, "c51"), nullptr);
  EXPECT_TRUE(registry.refusals().empty());
  for (const Candidate& c : registry.candidates()) EXPECT_EQ(c.sha256.size(), 64u);
  EXPECT_EQ(&registry.open(FH_Q_HEAD, "c51"), &registry.open(FH_Q_HEAD, "c51"));
}

// Each descriptor is refused for its own fault; none of the files is opened (their constructors abort).
TEST(Registry, RefusesWrongDescriptors) {
  const std::map<std::string, std::string> expected = {
      {"magic", "expected 'FOXHUNT"},
      {"major", "built for plugin ABI 2.3, this program has 1.3"},
      {"minor", "needs plugin ABI 1.4, this program has 1.3"},
      {"size", "expected 328"},
      {"kind", "kind 9, expected 1 (q_head)"},
      {"flags", "flags 6"},
      {"fingerprint", "this program's is 'x86_64 abi1"},
      {"name", "its name is 'Evil', expected [a-z]"},
      {"unterminated", "version in its descriptor has no end"},
      {"after_end", "bytes after its end"},
      {"two_lines", "not one line"},
      {"checksum", "descriptor is damaged"},
      {"unsealed", "its seal is missing"}};
  Registry registry({{kSamples + "/descriptors", true}});
  EXPECT_TRUE(registry.candidates().empty());
  EXPECT_EQ(registry.refusals().size(), expected.size());
  for (const Refusal& r : registry.refusals()) {
    const auto it = expected.find(r.path.stem().native());
    ASSERT_NE(it, expected.end()) << r.path;
    EXPECT_NE(r.why.find(it->second), std::string::npos) << r.path << ": " << r.why;
    EXPECT_EQ(r.why.find('\n'), std::string::npos);
  }
}

TEST(Registry, RefusesWrongTables) {
  const std::map<std::string, std::string> expected = {
      {"null_entry", "returned null"},
      {"small_entry", "its entry states 8 bytes, expected at least"},
      {"other_kind", "its entry says kind 2, its descriptor 1"},
      {"null_api", "q_head table is null"},
      {"small_api", "q_head table states 16 bytes"},
      {"null_function", "function 9 of its q_head table is null"},
      {"null_options", "2 options, but their table is null"},
      {"many_options", "5000 options; at most"},
      {"bad_default", "the default of option 'first', 11, lies outside its range 0 to 10"},
      {"bad_choice", "the default of option 'second' is choice 2, but there are 2"},
      {"no_choices", "option 'second' is a choice without a list"},
      {"fraction", "option 'first' is an integer, but 9.5"},
      {"same_option", "option 'first' is declared twice"},
      {"null_option_name", "option 0 is called 'null'"},
      {"null_kernel", "kernel 0 is null"},
      {"null_kernel_file", "kernel 'evil' names no file"},
      {"no_threads", "kernel 'evil' declares 0 threads"},
      {"null_parameters", "1 kernel parameters, but their table is null"},
      {"bad_type", "parameter 'x' of kernel 'evil' has type 99"},
      {"null_source", "source 0 has no name or no text"},
      {"missing_entry", "exports no function 'foxhunt_plugin_entry'"},
      {"unresolved", "foxhunt_test_function_that_nobody_defines"}};
  Registry registry({{kSamples + "/tables", true}});
  EXPECT_EQ(registry.candidates().size(), expected.size());
  for (const auto& [name, why] : expected) {
    const std::string first = refusal_of(registry, FH_Q_HEAD, name);
    EXPECT_NE(first.find(why), std::string::npos) << name << ": " << first;
    EXPECT_NE(first.find("tables/" + name + ".so"), std::string::npos) << first;
    EXPECT_EQ(refusal_of(registry, FH_Q_HEAD, name), first);  // remembered, not tried again
  }
  EXPECT_EQ(registry.refusals().size(), expected.size());
}

TEST(Registry, MissingNamesTheNearestAndWhatIsElsewhere) {
  Registry registry({{kBuilt, true}});
  const std::string typo = refusal_of(registry, FH_Q_HEAD, "c15");
  EXPECT_NE(typo.find("no such q_head 'c15'; did you mean 'c51'?"), std::string::npos) << typo;
  EXPECT_NE(typo.find(kBuilt), std::string::npos) << typo;
  const std::string other = refusal_of(registry, FH_Q_HEAD, "variance");
  EXPECT_NE(other.find("'variance' is a position_sizer"), std::string::npos) << other;
}

TEST_F(RegistryInFolder, RepeatsWhyAFileWasRefused) {
  std::ofstream(folder / "iqn.so") << "not a library";
  Registry registry({{folder, true}});
  const std::string why = refusal_of(registry, FH_Q_HEAD, "iqn");
  EXPECT_NE(why.find("no such q_head 'iqn'"), std::string::npos) << why;
  EXPECT_NE(why.find((folder / "iqn.so").native() + "' was refused: it is no shared object"),
            std::string::npos)
      << why;
}

// Damaged copies are refused before anything of them is opened.
TEST_F(RegistryInFolder, DamagedCopies) {
  const std::string whole = read_file(kBuilt + "/c51.so", 1 << 28);
  for (int i = 0; i < 40; ++i) {
    std::string damaged = whole;
    if (i % 2 == 0)
      damaged.resize(whole.size() * static_cast<size_t>(i) / 40);
    else
      damaged[whole.size() * static_cast<size_t>(i) / 40] ^= 16;
    std::ofstream(folder / ("copy" + std::to_string(i) + ".so"), std::ios::binary) << damaged;
  }
  Registry registry({{folder, true}});
  EXPECT_TRUE(registry.candidates().empty());
  EXPECT_EQ(registry.refusals().size(), 40u);
}

TEST_F(RegistryInFolder, FirstOnThePathWinsAndItIsSaid) {
  fs::copy_file(kBuilt + "/c51.so", folder / "another_name.so");
  Registry registry({{folder, true}, {kBuilt, true}});
  EXPECT_EQ(registry.find(FH_Q_HEAD, "c51")->path, folder / "another_name.so");
  ASSERT_EQ(registry.notes().size(), 1u);
  EXPECT_NE(registry.notes()[0].find("q_head 'c51': '" + (folder / "another_name.so").native() + "' is used"),
            std::string::npos)
      << registry.notes()[0];
}

TEST_F(RegistryInFolder, RefusedFileDoesNotHideAGoodOne) {
  std::ofstream(folder / "c51.so") << "rubbish";
  Registry registry({{folder, true}, {kBuilt, true}});
  ASSERT_NE(registry.find(FH_Q_HEAD, "c51"), nullptr);
  ASSERT_EQ(registry.notes().size(), 1u);
  EXPECT_NE(registry.notes()[0].find("was refused"), std::string::npos);
}

TEST_F(RegistryInFolder, PipesAndFoldersAreNotOpened) {
  ASSERT_EQ(mkfifo((folder / "pipe.so").c_str(), 0600), 0);
  fs::create_directory(folder / "folder.so");
  Registry registry({{folder, true}});
  EXPECT_EQ(registry.refusals().size(), 2u);
}

TEST(Registry, NamedFolderMustExist) {
  EXPECT_THROW(Registry({{"/nowhere/at/all", true}}), Error);
  EXPECT_NO_THROW(Registry({{"/nowhere/at/all", false}}));
}

TEST(Registry, SearchPath) {
  ::setenv("FOXHUNT_PLUGIN_PATH", "/third::/fourth", 1);
  const std::vector<Folder> path = search_path({"/first", "/second"});
  ::unsetenv("FOXHUNT_PLUGIN_PATH");
  ASSERT_EQ(path.size(), 5u);
  EXPECT_EQ(path[0].path, "/first");
  EXPECT_EQ(path[3].path, "/fourth");
  EXPECT_FALSE(path[4].required);
  EXPECT_EQ(path[4].path.filename(), "plugins");
}

TEST(Registry, AFolderIsSearchedOnce) {
  const std::string own = search_path({}).back().path.native();
  fs::create_directories(own);
  ::setenv("FOXHUNT_PLUGIN_PATH", (kBuilt + ":" + own + "/:" + kSamples + ":/nowhere:/nowhere").c_str(), 1);
  const std::vector<Folder> path = search_path({kBuilt + "/."});
  ::unsetenv("FOXHUNT_PLUGIN_PATH");
  std::vector<std::string> folders;
  for (const Folder& f : path) folders.push_back(f.path.native());
  std::vector<std::string> expected{kBuilt + "/.", own + "/", kSamples, "/nowhere", "/nowhere"};
  if (fs::equivalent(own, kBuilt)) expected.erase(expected.begin() + 1);
  EXPECT_EQ(folders, expected);
}

TEST(Registry, OptionsAsSettings) {
  Registry registry({{kBuilt, true}});
  const std::vector<config::Setting> settings = registry.settings(config::Kind::q_head, "c51");
  ASSERT_EQ(settings.size(), 8u);
  EXPECT_EQ(settings[0].key, "atoms");
  EXPECT_EQ(settings[0].type, config::Type::integer);
  EXPECT_EQ(settings[0].initial, "21");
  EXPECT_EQ(settings[0].minimum, 2);
  EXPECT_EQ(settings[3].key, "select");
  EXPECT_EQ(settings[3].choices, (std::vector<std::string>{"target", "double", "expected_sarsa"}));
  EXPECT_EQ(settings[3].initial, "target");
}

}  // namespace
}  // namespace foxhunt::plugins
