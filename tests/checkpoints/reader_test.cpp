#include <foxhunt/checkpoints/reader.hpp>
#include <foxhunt/checkpoints/writer.hpp>

#include "foreign_files.hpp"
#include "helpers.hpp"

namespace foxhunt::checkpoints::test {
namespace {

TEST(Reader, LoadsAll) {
  const TemporaryFolder folder;
  Sample saved(1), loaded(2);
  write_checkpoint(folder / "a.h5", saved.checkpoint());
  Reader(folder / "a.h5").load(loaded.views());
  EXPECT_EQ(saved, loaded);
}

TEST(Reader, LoadThatDoesNotFitChangesNothing) {
  const TemporaryFolder folder;
  Sample saved(1), loaded(2);
  const Sample before = loaded;
  write_checkpoint(folder / "a.h5", saved.checkpoint());
  const Reader reader(folder / "a.h5");

  auto wanted = loaded.views();
  wanted.back().spec.path = "/optimizer/heads/unknown";
  EXPECT_TRUE(contains(error_of([&] { reader.load(wanted); }), "/optimizer/heads/unknown is missing"));

  wanted = loaded.views();
  std::vector<double> other(41 * 9, 3);
  wanted[1] = view("/heads/c51/adam/m/w", {41, 9}, std::span(other));
  EXPECT_TRUE(contains(error_of([&] { reader.load(wanted); }),
                       "/heads/c51/adam/m/w: expected f64 [41, 9], found f64 [40, 9]"));

  wanted = loaded.views();
  std::int32_t narrow = 7;
  wanted[3] = scalar_view("/optimizer/heads/t", narrow);
  EXPECT_TRUE(contains(error_of([&] { reader.load(wanted); }),
                       "/optimizer/heads/t: expected i32 scalar, found i64 scalar"));

  wanted = loaded.views();
  wanted.push_back(wanted[0]);
  EXPECT_TRUE(contains(error_of([&] { reader.load(wanted); }), "asked for twice"));

  EXPECT_EQ(loaded, before);
  EXPECT_EQ(other, std::vector<double>(41 * 9, 3));
  EXPECT_EQ(narrow, 7);
}

// The checksum of the last tensor fails only when it is read, after the others were.
TEST(Reader, DamageFoundWhileLoadingChangesNothing) {
  const TemporaryFolder folder;
  Sample saved(1), loaded(2);
  std::vector<std::uint8_t> last(3000);
  std::mt19937 random(1);
  for (auto& x : last) x = static_cast<std::uint8_t>(random());
  Checkpoint content = saved.checkpoint();
  content.tensors.push_back(view("/zzz", {3000}, std::span<const std::uint8_t>(last)));
  write_checkpoint(folder / "a.h5", content);
  const Sample before = loaded;
  auto wanted = loaded.views();
  std::vector<std::uint8_t> target(3000, 9);
  wanted.push_back(view("/zzz", {3000}, std::span(target)));

  // deflate keeps random bytes as they are, so the tensor's bytes can be found in the file.
  auto bytes = file_bytes(folder / "a.h5");
  const auto* needle = reinterpret_cast<const char*>(last.data()) + 1000;
  const auto at = std::search(bytes.begin(), bytes.end(), needle, needle + 100);
  ASSERT_NE(at, bytes.end());
  *at = static_cast<char>(*at ^ 4);
  write_bytes(folder / "a.h5", bytes);

  EXPECT_TRUE(contains(error_of([&] { Reader(folder / "a.h5"); }), "/zzz cannot be read: damaged"));
  const Reader reader(folder / "a.h5", Reader::Verify::structure);
  EXPECT_TRUE(contains(error_of([&] { reader.load(wanted); }), "/zzz cannot be read: damaged"));
  EXPECT_TRUE(contains(error_of([&] { reader.load_matching(wanted); }), "/zzz cannot be read: damaged"));
  EXPECT_EQ(loaded, before);
  EXPECT_EQ(target, std::vector<std::uint8_t>(3000, 9));
}

TEST(Reader, MatchTakesOverWhatFitsAndListsTheRest) {
  const TemporaryFolder folder;
  Sample saved(1), loaded(2);
  const Sample before = loaded;
  write_checkpoint(folder / "a.h5", saved.checkpoint());
  auto wanted = loaded.views();
  std::vector<double> other(9, 3);
  wanted[1] = view("/heads/c51/adam/m/w", {9}, std::span(other));
  wanted[2].spec.path = "/rng/renamed";
  const Match match = Reader(folder / "a.h5").load_matching(wanted);
  EXPECT_EQ(match.matched, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(match.missing, std::vector<std::string>{"/rng/renamed"});
  ASSERT_EQ(match.different.size(), 1u);
  EXPECT_EQ(match.different[0].found.shape, (std::vector<std::uint64_t>{40, 9}));
  EXPECT_EQ(match.unused, std::vector<std::string>{"/rng/counter"});
  EXPECT_EQ(loaded.weight, saved.weight);
  EXPECT_EQ(loaded.t, saved.t);
  EXPECT_EQ(loaded.counter, before.counter);
  EXPECT_EQ(other, std::vector<double>(9, 3));
  const std::string text = to_text(match);
  EXPECT_TRUE(
      contains(text, "2 tensors taken over, 1 not in the file, 1 of another type or shape, 1 not wanted"));
  EXPECT_TRUE(contains(text, "/heads/c51/adam/m/w: expected f64 [9], found f64 [40, 9]"));
}

TEST(Reader, RefusesForeignFiles) {
  const TemporaryFolder folder;
  const auto refusal = [&](const fs::path& file) { return error_of([&] { Reader{file}; }); };
  EXPECT_TRUE(contains(refusal(folder / "none.h5"), "no such file"));
  EXPECT_TRUE(contains(refusal(folder.path()), "not a regular file"));
  write_bytes(folder / "empty.h5", {});
  EXPECT_TRUE(contains(refusal(folder / "empty.h5"), "is empty"));
  write_bytes(folder / "text.h5", std::string("step,pnl\n1,2\n"));
  EXPECT_TRUE(contains(refusal(folder / "text.h5"), "not an HDF5 file"));
  write_foreign_file(folder / "foreign.h5");
  EXPECT_TRUE(contains(refusal(folder / "foreign.h5"), "no foxhunt checkpoint: it has no /meta"));
  write_schema_file(folder / "market.h5", "foxhunt-market", 1);
  EXPECT_TRUE(contains(refusal(folder / "market.h5"),
                       "its schema is \"foxhunt-market\", expected \"foxhunt-checkpoint\""));
  write_schema_file(folder / "new.h5", "foxhunt-checkpoint", 2);
  EXPECT_TRUE(contains(refusal(folder / "new.h5"), "schema version 2; this program reads versions up to 1"));
  write_bomb(folder / "bomb.h5");
  EXPECT_TRUE(contains(refusal(folder / "bomb.h5"), "/w claims f32 [10000000000000]"));
}

}  // namespace
}  // namespace foxhunt::checkpoints::test
