#include <cmath>
#include <foxhunt/checkpoints/inspect.hpp>
#include <foxhunt/checkpoints/writer.hpp>
#include <limits>

#include "foreign_files.hpp"
#include "helpers.hpp"

namespace foxhunt::checkpoints::test {
namespace {

const InspectedObject& object(const Inspection& inspection, const std::string& path) {
  for (const auto& candidate : inspection.objects) {
    if (candidate.path == path) return candidate;
  }
  throw Error("not in the inspection: " + path);
}

TEST(Inspect, CountsAndMeasures) {
  const TemporaryFolder folder;
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> w{3, -4, std::nanf(""), inf, -inf, 0};
  const std::vector<std::uint64_t> counter{std::numeric_limits<std::uint64_t>::max()};
  const std::vector<double> bad{std::nan(""), std::nan("")};
  const double lr = 3e-4;
  std::vector<float> large(3000000, 0.5f);
  write_checkpoint(
      folder / "a.h5",
      {{{"step", std::int64_t{40}}, {"config", std::string(500, 'c')}},
       {view("/heads/c51/online/w", {2, 3}, std::span(w), {"in", "out"}, "1"),
        view("/heads/twin/online/bad", {2}, std::span(bad)), view("/rng/counter", {1}, std::span(counter)),
        scalar_view("/optimizer/c51/lr", lr), view("/large", {1000, 3000}, std::span<const float>(large))}});
  const Inspection all = inspect(folder / "a.h5");
  EXPECT_EQ(all.schema, "foxhunt-checkpoint 1");
  EXPECT_EQ(all.unreadable, 0u);
  const TensorStats stats = *object(all, "/heads/c51/online/w").stats;
  EXPECT_EQ(stats.count, 6u);
  EXPECT_EQ(stats.finite, 3u);
  EXPECT_EQ(stats.nan, 1u);
  EXPECT_EQ(stats.inf, 2u);
  EXPECT_EQ(stats.norm, 5);
  EXPECT_EQ(stats.min, -4);
  EXPECT_EQ(stats.max, 3);
  EXPECT_DOUBLE_EQ(stats.mean, -1.0 / 3);
  EXPECT_EQ(object(all, "/large").stats->count, 3000000u);
  EXPECT_DOUBLE_EQ(object(all, "/large").stats->norm, 0.5 * std::sqrt(3e6));
  EXPECT_LT(object(all, "/large").stored_bytes, 200000u);
  EXPECT_EQ(object(all, "/rng/counter").value, "18446744073709551615");

  const std::string text = to_text(all);
  EXPECT_TRUE(contains(text, "f32 [2, 3]             norm 5 ")) << text;
  EXPECT_TRUE(contains(text, "nan 1 inf 2  @axes = [\"in\", \"out\"]  @unit = \"1\"")) << text;
  EXPECT_TRUE(contains(text, "f64 [2]                nan 2 inf 0")) << text;
  EXPECT_TRUE(contains(text, "f64 scalar             = 3e-04")) << text;
  EXPECT_TRUE(contains(text, "@step = 40")) << text;
  EXPECT_TRUE(contains(text, "ccc… (502 bytes)")) << text;
  EXPECT_TRUE(contains(text, "5 datasets, 3000010 numbers")) << text;
  EXPECT_TRUE(contains(inspect_text(folder / "a.h5", {.full_attributes = true}), std::string(500, 'c')));

  const Inspection part = inspect(folder / "a.h5", {.prefix = "heads/c51/"});
  ASSERT_EQ(part.objects.size(), 3u);
  EXPECT_EQ(part.objects[0].path, "/heads/c51");
  EXPECT_TRUE(
      contains(error_of([&] { inspect(folder / "a.h5", {.prefix = "/heads/c5"}); }), "nothing at or below"));
}

TEST(Inspect, ShowsAnyHdf5File) {
  const TemporaryFolder folder;
  write_foreign_file(folder / "foreign.h5");
  const Inspection all = inspect(folder / "foreign.h5");
  EXPECT_EQ(all.unreadable, 0u);
  EXPECT_EQ(object(all, "/group/cycle").note, "-> /");
  EXPECT_EQ(object(all, "/group/elsewhere").note, "-> other.h5:/data");
  EXPECT_EQ(object(all, "/never_written").note, "nothing stored");
  EXPECT_EQ(object(all, "/five_dimensions").dtype, "i16be");
  EXPECT_EQ(object(all, "/five_dimensions").stats->mean, 7);
  EXPECT_EQ(object(all, "/flag").value, "1");
  EXPECT_EQ(object(all, "/fixed_string").value, "\"fixed\"");
  EXPECT_EQ(object(all, "/null").note, "empty");
  const std::string text = to_text(all);
  EXPECT_TRUE(contains(text, "HDF5, not a foxhunt checkpoint")) << text;
  EXPECT_TRUE(contains(text, "dangling\\x1b[31m -> /nowhere")) << text;
  EXPECT_FALSE(contains(text, "\x1b")) << text;
  // One of /half and /group/second_name is the dataset, the other a link to it.
  EXPECT_TRUE(contains(text, "f16 [2]")) << text;
}

}  // namespace
}  // namespace foxhunt::checkpoints::test
