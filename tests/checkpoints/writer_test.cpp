#include <malloc.h>

#include <cmath>
#include <cstring>
#include <foxhunt/checkpoints/reader.hpp>
#include <foxhunt/checkpoints/store.hpp>
#include <foxhunt/checkpoints/writer.hpp>
#include <limits>

#include "helpers.hpp"

namespace foxhunt::checkpoints::test {
namespace {

std::vector<std::byte> copy_of(const Image& image) { return {image.bytes().begin(), image.bytes().end()}; }

template <class T>
class RoundTrip : public testing::Test {};
using Types =
    testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, std::uint8_t>;
TYPED_TEST_SUITE(RoundTrip, Types);

// Every rank, sizes of 0 and 1, and one of several chunks; extreme values included.
TYPED_TEST(RoundTrip, KeepsEveryBit) {
  using T = TypeParam;
  const std::vector<std::vector<std::uint64_t>> shapes{
      {}, {1}, {7}, {0}, {3, 5}, {4, 0, 2}, {2, 3, 4}, {1, 1}, {2, 3, 2, 5}, {3, 500000}};
  std::mt19937_64 random(7);
  std::vector<std::vector<T>> values;
  Checkpoint content;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    TensorSpec spec{"/t" + std::to_string(i), dtype_of<T>(), shapes[i]};
    std::vector<T> data(spec.elements());
    for (T& x : data) {
      const std::uint64_t bits = random();
      std::memcpy(&x, &bits, sizeof x);  // any bits, among them NaNs of many kinds
    }
    if (data.size() > 1) data[1] = std::numeric_limits<T>::lowest();
    values.push_back(data);
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    content.tensors.push_back(view("/t" + std::to_string(i), shapes[i], std::span<const T>(values[i])));
  }
  const TemporaryFolder folder;
  write_checkpoint(folder / "a.h5", content);
  const Reader reader(folder / "a.h5");
  ASSERT_EQ(reader.tensors().size(), shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string path = "/t" + std::to_string(i);
    EXPECT_EQ(reader.find(path)->shape, shapes[i]);
    const auto back = reader.read<T>(path);
    ASSERT_EQ(back.size(), values[i].size());
    EXPECT_TRUE(back.empty() || std::memcmp(back.data(), values[i].data(), back.size() * sizeof(T)) == 0)
        << path;
  }
}

TEST(Writer, KeepsAttributesAxesAndUnits) {
  Sample sample(3);
  Checkpoint content = sample.checkpoint();
  const std::string config(300000, 'c');  // larger than an object header's 64 kB
  content.meta = {{"config", config},
                  {"empty", ""},
                  {"plugins", std::vector<std::string>{"c51 1.0", "", "variance 1.2"}},
                  {"none", std::vector<std::string>{}},
                  {"step", std::numeric_limits<std::int64_t>::min()},
                  {"metric", -0.0},
                  {"name", "Grüße"}};
  const TemporaryFolder folder;
  write_checkpoint(folder / "a.h5", content);
  const Reader reader(folder / "a.h5");
  EXPECT_EQ(reader.meta(), content.meta);
  EXPECT_TRUE(std::signbit(reader.real("metric")));
  EXPECT_EQ(reader.text("config"), config);
  EXPECT_EQ(reader.list("plugins").size(), 3u);
  EXPECT_TRUE(contains(error_of([&] { reader.integer("config"); }), "/meta@config is of another type"));
  EXPECT_TRUE(contains(error_of([&] { reader.text("nothing"); }), "/meta@nothing is missing"));
  const TensorSpec& spec = *reader.find("/heads/c51/online/w");
  EXPECT_EQ(spec.axes, (std::vector<std::string>{"in", "action"}));
  EXPECT_EQ(spec.unit, "1");
}

TEST(Writer, SameContentGivesSameBytes) {
  Sample sample(5);
  Checkpoint content = sample.checkpoint();
  std::vector<float> large(1 << 20);
  std::iota(large.begin(), large.end(), 0.f);
  content.tensors.push_back(view("/encoder/online/large", {1024, 1024}, std::span<const float>(large)));
  std::vector<float> ones(30, 1);
  for (int i = 0; i < 20; ++i) {  // more than a group keeps in its header
    content.tensors.push_back(
        view("/policy/online/b" + std::to_string(i), {30}, std::span<const float>(ones)));
    content.meta["key" + std::to_string(i)] = std::int64_t{i};
  }
  const auto first = copy_of(build_image(content));
#ifdef M_PERTURB
  mallopt(M_PERTURB, 0x5a);  // what uninitialised memory would show
#endif
  std::vector<std::vector<char>> history(100, std::vector<char>(12345));
  std::reverse(content.tensors.begin(), content.tensors.end());
  const auto second = copy_of(build_image(content));
#ifdef M_PERTURB
  mallopt(M_PERTURB, 0);
#endif
  EXPECT_EQ(first, second);
  ++sample.counter[3];
  EXPECT_NE(first, copy_of(build_image(content)));
}

TEST(Writer, RefusesWhatItCannotKeep) {
  std::vector<float> data(6);
  const auto refusal = [&](std::string path, std::vector<std::uint64_t> shape,
                           std::vector<std::string> axes = {}) {
    return error_of([&] { build_image({{}, {view(path, shape, std::span<const float>(data), axes)}}); });
  };
  EXPECT_TRUE(contains(refusal("w", {6}), "does not start with '/'"));
  EXPECT_TRUE(contains(refusal("/", {6}), "part of the path is empty"));
  EXPECT_TRUE(contains(refusal("/a//w", {6}), "part of the path is empty"));
  EXPECT_TRUE(contains(refusal("/a/", {6}), "part of the path is empty"));
  EXPECT_TRUE(contains(refusal("/a/../w", {6}), "no names"));
  EXPECT_TRUE(contains(refusal(std::string("/a\0b", 4), {6}), "NUL"));
  EXPECT_TRUE(contains(refusal("/meta/w", {6}), "attributes only"));
  EXPECT_TRUE(contains(refusal("/w", {7}), "needs 28 bytes, but 24 were given"));
  EXPECT_TRUE(contains(refusal("/w", {1ull << 40, 1ull << 40}), "more elements than 64 bits"));
  EXPECT_TRUE(contains(refusal("/w", {1, 1, 1, 1, 6}), "more than 4 dimensions"));
  EXPECT_TRUE(contains(refusal("/w", {2, 3}, {"one"}), "expected one per dimension"));

  const auto w = view("/a", {6}, std::span<const float>(data));
  EXPECT_TRUE(contains(error_of([&] { build_image({{}, {w, w}}); }), "/a is in the checkpoint twice"));
  const auto below = view("/a/b", {6}, std::span<const float>(data));
  EXPECT_TRUE(contains(error_of([&] {
                         build_image({{}, {below, w}});
                       }),
                       "both a tensor and the folder of /a/b"));
  EXPECT_TRUE(contains(error_of([&] { build_image({{{"schema", "mine"}}, {}}); }), "the schema's own"));
  EXPECT_TRUE(contains(error_of([&] { build_image({{{"x", std::string("a\0b", 3)}}, {}}); }), "NUL"));
}

}  // namespace
}  // namespace foxhunt::checkpoints::test
