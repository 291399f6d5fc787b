#include <gtest/gtest.h>

#include <foxhunt/error.hpp>
#include <random>

#include "common/files.hpp"
#include "guarded_copy.hpp"
#include "plugins/description.hpp"

namespace foxhunt::plugins {
namespace {

std::string file_of(const std::string& name) {
  return read_file(FOXHUNT_BUILT_PLUGINS "/" + name + ".so", 1 << 28);
}

std::string refusal(Bytes bytes) {
  try {
    const Description d = read_description(bytes);
    if (d.sealed) check_seal(bytes);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Description, OfABuiltPlugin) {
  const std::string file = file_of("c51");
  const Bytes bytes = std::as_bytes(std::span(file.data(), file.size()));
  const Description d = read_description(bytes);
  EXPECT_EQ(d.kind, FH_Q_HEAD);
  EXPECT_EQ(d.name, "c51");
  EXPECT_EQ(d.version, "1.0.0");
  EXPECT_TRUE(d.sealed);
  EXPECT_NO_THROW(check_seal(bytes));
}

// Every prefix of a plugin's file is refused, with a sentence, and nothing beyond its end is read.
TEST(Description, TruncatedAtEveryLength) {
  const std::string file = file_of("identity");
  GuardedCopy buffer(file.size());
  for (size_t length = 0; length < file.size(); ++length) {
    const std::string why = refusal(buffer.put({file.data(), length}));
    ASSERT_FALSE(why.empty()) << "accepted at " << length << " of " << file.size() << " bytes";
  }
  EXPECT_EQ(refusal(buffer.put(file)), "");
}

struct Region {
  size_t begin, end;
};

// Where flips hurt most: ELF header, program headers, section table, descriptor.
std::vector<Region> sensitive(const std::string& file) {
  const auto number = [&](size_t at, size_t bytes) {
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; ++i) v |= uint64_t{static_cast<unsigned char>(file[at + i])} << (8 * i);
    return static_cast<size_t>(v);
  };
  const size_t headers = number(32, 8), sections = number(40, 8);
  const size_t descriptor = file.find(std::string(FH_MAGIC) + '\0');
  return {{0, 64},
          {headers, headers + 56 * number(56, 2)},
          {sections, sections + 64 * number(60, 2)},
          {descriptor, descriptor + sizeof(fh_descriptor)}};
}

// The reader alone, without the seal: no flip makes it crash or read outside, and what it still accepts has
// the descriptor that was written.
TEST(Description, HundredThousandMutations) {
  const std::string file = file_of("identity");
  const Description whole = read_description(std::as_bytes(std::span(file.data(), file.size())));
  GuardedCopy buffer(file.size());
  const std::span<std::byte> bytes = buffer.put(file);
  const std::vector<Region> regions = sensitive(file);
  std::mt19937_64 random(20240607);
  size_t accepted = 0, refused = 0;
  for (int i = 0; i < 100000; ++i) {
    const size_t flips = 1 + random() % 4;
    std::vector<size_t> at;
    for (size_t f = 0; f < flips; ++f) {
      const size_t choice = random() % (2 * regions.size());
      const Region r = choice < regions.size() ? regions[choice] : Region{0, file.size()};
      at.push_back(r.begin + random() % (r.end - r.begin));
      bytes[at.back()] ^= static_cast<std::byte>(1u << random() % 8);
    }
    try {
      const Description d = read_description(bytes);
      ASSERT_EQ(d.name, whole.name);
      ASSERT_EQ(d.version, whole.version);
      ASSERT_EQ(d.description, whole.description);
      ASSERT_EQ(d.kind, whole.kind);
      ASSERT_EQ(d.sealed, whole.sealed);
      ++accepted;
    } catch (const Error& e) {
      ASSERT_STRNE(e.what(), "");
      ++refused;
    }
    for (const size_t a : at) bytes[a] = static_cast<std::byte>(file[a]);
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 10000u);
}

// With the seal every changed bit of the file is noticed.
TEST(Description, SealNoticesEveryFlip) {
  const std::string file = file_of("identity");
  GuardedCopy buffer(file.size());
  const std::span<std::byte> bytes = buffer.put(file);
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const size_t at = i < 100 ? file.size() - 1 - static_cast<size_t>(i) : random() % file.size();
    bytes[at] ^= static_cast<std::byte>(1u << random() % 8);
    ASSERT_NE(refusal(bytes), "") << "byte " << at;
    bytes[at] = static_cast<std::byte>(file[at]);
  }
  EXPECT_EQ(refusal(bytes), "");
}

TEST(Description, OtherFiles) {
  const std::string text = "#!/bin/sh\nexit 0\n";
  GuardedCopy buffer(1 << 20);
  EXPECT_NE(refusal(buffer.put(text)).find("ELF signature is missing"), std::string::npos);
  const std::string libc = read_file("/proc/self/exe", 1 << 30);
  GuardedCopy big(libc.size());
  EXPECT_NE(refusal(big.put(libc)).find("no foxhunt plugin"), std::string::npos);
  std::string arm = file_of("identity");
  arm[18] = static_cast<char>(arm[18] == 62 ? 183 : 62);
  EXPECT_NE(refusal(big.put(arm)).find("it is built for"), std::string::npos) << refusal(big.put(arm));
}

}  // namespace
}  // namespace foxhunt::plugins
