#include <bit>
#include <cmath>
#include <cstdlib>
#include <foxhunt/checkpoints/diff.hpp>
#include <foxhunt/checkpoints/writer.hpp>
#include <limits>

#include "foreign_files.hpp"
#include "helpers.hpp"

namespace foxhunt::checkpoints::test {
namespace {

using Kind = Difference::Kind;

class Diff : public testing::Test {
 protected:
  template <class T>
  void write(const std::string& name, std::vector<T> values, std::vector<std::uint64_t> shape = {}) {
    if (shape.empty()) shape = {values.size()};
    write_checkpoint(folder_ / name, {{}, {view("/x", shape, std::span<const T>(values))}});
  }
  DiffResult compare(const DiffOptions& options = {}) {
    return diff(folder_ / "a.h5", folder_ / "b.h5", options);
  }

  TemporaryFolder folder_;
};

/// Exit code of h5diff, or nothing where it is not installed.
std::optional<int> h5diff(const fs::path& a, const fs::path& b) {
  if (std::system("command -v h5diff >/dev/null 2>&1") != 0) return std::nullopt;
  const int status =
      std::system(("h5diff '" + a.string() + "' '" + b.string() + "' >/dev/null 2>&1").c_str());
  return WEXITSTATUS(status);
}

TEST_F(Diff, SameFilesAreSame) {
  write_checkpoint(folder_ / "a.h5", Sample(1).checkpoint());
  write_checkpoint(folder_ / "b.h5", Sample(1).checkpoint());
  const DiffResult result = compare();
  EXPECT_TRUE(result.same());
  EXPECT_EQ(result.tensors, 4u);
  EXPECT_EQ(result.attributes, 6u);
  EXPECT_TRUE(contains(to_text(result), "same: 4 datasets and 6 attributes compared"));
  EXPECT_EQ(h5diff(folder_ / "a.h5", folder_ / "b.h5").value_or(0), 0);
}

TEST_F(Diff, SaysHowMuchAndWhere) {
  write<float>("a.h5", {1, 2, 3, 4, 5, 6}, {2, 3});
  write<float>("b.h5", {1, 2, 3, 4, 5.5f, 3}, {2, 3});
  const DiffResult result = compare();
  ASSERT_EQ(result.differences.size(), 1u);
  const Difference& d = result.differences[0];
  EXPECT_EQ(d.kind, Kind::values);
  EXPECT_EQ(d.differing, 2u);
  EXPECT_EQ(d.total, 6u);
  EXPECT_EQ(d.max_abs, 3);
  EXPECT_EQ(d.max_rel, 0.5);
  EXPECT_EQ(d.first_index, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_TRUE(
      contains(to_text(result), "/x  2 of 6 differ, max abs 3, max rel 0.5, first at [1, 1]: 5 | 5.5"))
      << to_text(result);
  if (const auto code = h5diff(folder_ / "a.h5", folder_ / "b.h5")) {
    EXPECT_EQ(*code, 1);
  }
}

TEST_F(Diff, FindsDifferentShapesWhereH5diffDoesNot) {
  write<float>("a.h5", {1, 2, 3, 4, 5, 6}, {2, 3});
  write<float>("b.h5", {1, 2, 3, 4, 5, 6}, {3, 2});
  const DiffResult result = compare();
  ASSERT_EQ(result.differences.size(), 1u);
  EXPECT_EQ(result.differences[0].kind, Kind::shape);
  EXPECT_TRUE(contains(to_text(result), "/x  shape [2, 3] | [3, 2]"));
  if (const auto code = h5diff(folder_ / "a.h5", folder_ / "b.h5")) {
    EXPECT_EQ(*code, 0) << "h5diff has learnt it";
  }
}

TEST_F(Diff, FindsOtherNansWhereH5diffDoesNot) {
  const float nan = std::bit_cast<float>(0x7fc00000u), other = std::bit_cast<float>(0x7fc00001u);
  write<float>("a.h5", {1, nan, nan, 2});
  write<float>("b.h5", {1, nan, other, 2});
  for (const auto tolerance : {std::optional<double>(), std::optional<double>(1e6)}) {
    const DiffResult result = compare({.tolerance = tolerance});
    ASSERT_EQ(result.differences.size(), 1u);
    EXPECT_EQ(result.differences[0].differing, 1u);
    EXPECT_EQ(result.differences[0].not_finite, 1u);
    EXPECT_EQ(result.differences[0].first_index, std::vector<std::uint64_t>{2});
  }
  if (const auto code = h5diff(folder_ / "a.h5", folder_ / "b.h5")) {
    EXPECT_EQ(*code, 0) << "h5diff has learnt it";
  }
  write<float>("b.h5", {1, nan, nan, 2});
  EXPECT_TRUE(compare().same());
  write<float>("b.h5", {1, nan, 7, 2});
  EXPECT_EQ(compare({.tolerance = 1e6}).differences.size(), 1u);
}

TEST_F(Diff, BitsOrTolerance) {
  write<double>("a.h5", {0.0, 1, 1000, std::numeric_limits<double>::infinity()});
  write<double>("b.h5", {-0.0, 1 + 1e-9, 1000 + 1e-6, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(compare().differences.at(0).differing, 3u);
  EXPECT_TRUE(compare({.tolerance = 2e-9}).same());
  EXPECT_EQ(compare({.tolerance = 1e-10}).differences.at(0).differing, 2u);
  EXPECT_EQ(compare({.tolerance = 0.0}).differences.at(0).differing, 2u);
  EXPECT_TRUE(contains(error_of([&] { compare({.tolerance = std::nan("")}); }), "tolerance nan"));
  // Two integers that are one and the same double.
  write<std::int64_t>("a.h5", {INT64_MAX, INT64_MIN});
  write<std::int64_t>("b.h5", {INT64_MAX - 1, INT64_MAX});
  EXPECT_EQ(compare().differences.at(0).differing, 2u);
  EXPECT_EQ(compare().differences.at(0).max_abs, 0x1p64);
}

TEST_F(Diff, FindsTypesPresenceAndAttributes) {
  const std::vector<float> f(4, 1);
  const std::vector<std::int32_t> i(4, 1);
  const double lr = 1;
  const auto at = [](std::string path, const auto& values) { return view(path, {4}, std::span(values)); };
  write_checkpoint(
      folder_ / "a.h5",
      {{{"config", std::string(200, 'c') + "seed = 1"}, {"step", std::int64_t{1}}, {"only", 1.0}},
       {at("/heads/twin/w", f), at("/heads/twin/b", f), at("/heads/twin-b", f), at("/t", f)}});
  Checkpoint b{{{"config", std::string(200, 'c') + "seed = 2"}, {"step", 1.0}},
               {at("/t", i), at("/heads/twin-b", f), scalar_view("/optimizer/lr", lr)}};
  b.tensors[1].spec.unit = "usd";
  write_checkpoint(folder_ / "b.h5", b);
  const DiffResult result = compare();
  std::vector<std::string> paths;
  for (const auto& d : result.differences) paths.push_back(d.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/heads/twin", "/heads/twin/b", "/heads/twin/w",
                                             "/heads/twin-b@unit", "/meta@config", "/meta@only", "/meta@step",
                                             "/optimizer", "/optimizer/lr", "/t"}));
  const std::string text = to_text(result);
  EXPECT_TRUE(contains(text, "/heads/twin  only in A: group with 2 objects below it")) << text;
  EXPECT_TRUE(contains(text, "/t  type f32 | i32")) << text;
  EXPECT_TRUE(contains(text, "seed = 1\" | …ccc")) << text;
  EXPECT_TRUE(contains(text, "/meta@step  i64 scalar 1 | f64 scalar 1")) << text;
  EXPECT_TRUE(contains(text, "10 differences: ")) << text;

  const DiffResult rest =
      compare({.ignore = {"/heads/twin", "meta@config", "/meta@step", "/optimizer/", "/typo"}});
  paths.clear();
  for (const auto& d : rest.differences) paths.push_back(d.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/heads/twin-b@unit", "/meta@only", "/t"}));
  EXPECT_EQ(rest.ignored, 7u);
  EXPECT_EQ(rest.unused_ignores, std::vector<std::string>{"/typo"});
  EXPECT_TRUE(contains(to_text(rest), "nothing is called \"/typo\"")) << to_text(rest);
}

TEST_F(Diff, LargeTensorsInBlocks) {
  std::vector<float> values(5000 * 1001);
  std::iota(values.begin(), values.end(), 0.f);
  write<float>("a.h5", values, {5000, 1001});
  values[4321 * 1001 + 77] = -1;
  write<float>("b.h5", values, {5000, 1001});
  const Difference d = compare().differences.at(0);
  EXPECT_EQ(d.differing, 1u);
  EXPECT_EQ(d.first_index, (std::vector<std::uint64_t>{4321, 77}));
}

TEST_F(Diff, ComparesForeignFiles) {
  write_strings(folder_ / "a.h5", "second");
  write_strings(folder_ / "b.h5", "other");
  const DiffResult strings = compare();
  ASSERT_EQ(strings.differences.size(), 2u);
  for (const auto& d : strings.differences) {
    EXPECT_EQ(d.differing, 1u);
    EXPECT_EQ(d.b, "\"other\"");
  }
  write_strings(folder_ / "b.h5", "second");
  EXPECT_TRUE(compare().same());

  // Lists and references hold addresses; they cannot be called the same.
  write_foreign_file(folder_ / "a.h5");
  write_foreign_file(folder_ / "b.h5");
  std::vector<std::string> paths;
  for (const auto& d : compare().differences) paths.push_back(d.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/lists", "/reference"}));
}

}  // namespace
}  // namespace foxhunt::checkpoints::test
