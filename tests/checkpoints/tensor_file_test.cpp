#include <foxhunt/checkpoints/tensor_file.hpp>

#include "foreign_files.hpp"
#include "helpers.hpp"

namespace foxhunt::checkpoints::test {
namespace {

using Number = TensorFile::Number;

TEST(TensorFiles, KeepValuesShapesAndNothingElse) {
  const TemporaryFolder folder;
  const std::vector<float> w{1, 2, 3, 4, 5, 6.5f};
  const std::vector<std::int32_t> action{-1, 7};
  const std::vector<std::uint8_t> none;
  const double gamma = 0.99;
  const std::vector<ConstTensorView> tensors{view("/weights/online/w", {2, 3}, std::span(w), {"hidden", "action"}),
                                             view("/action", {2}, std::span(action)), view("/none", {0}, std::span(none)),
                                             scalar_view("/gamma", gamma)};
  write_tensors(folder / "a.h5", {{"plugin", "c51"}}, tensors);
  write_tensors(folder / "b.h5", {{"plugin", "c51"}}, std::vector(tensors.rbegin(), tensors.rend()));
  EXPECT_EQ(file_bytes(folder / "a.h5"), file_bytes(folder / "b.h5"));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.h5", "b.h5"}));

  const TensorFile file(folder / "a.h5");
  std::vector<std::string> paths;
  for (const auto& e : file.entries()) paths.push_back(e.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/action", "/gamma", "/none", "/weights/online/w"}));
  EXPECT_EQ(file.find("/weights/online/w")->shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(file.find("/weights/online/w")->number, Number::floating);
  EXPECT_EQ(file.find("/action")->number, Number::integer);
  EXPECT_EQ(file.find("/absent"), nullptr);
  EXPECT_EQ(file.read("/weights/online/w"), (std::vector<double>(w.begin(), w.end())));
  EXPECT_EQ(file.read("/action"), (std::vector<double>{-1, 7}));
  EXPECT_EQ(file.read("/gamma"), (std::vector<double>{gamma}));
  EXPECT_TRUE(file.read("/none").empty());
  EXPECT_TRUE(contains(error_of([&] { file.read("/absent"); }), "a.h5:/absent is missing"));
}

TEST(TensorFiles, OfAnyOriginAreReadAsFarAsTheyHoldNumbers) {
  const TemporaryFolder folder;
  write_foreign_file(folder / "foreign.h5");
  const TensorFile file(folder / "foreign.h5");
  ASSERT_GT(file.entries().size(), 5u);
  int refused = 0, unwritten = 0;
  for (const auto& e : file.entries()) {
    std::string why;
    try {
      EXPECT_LE(file.read(e.path).size(), 1000u) << e.path;
    } catch (const Error& error) {
      why = error.what();
    }
    EXPECT_TRUE(why.empty() || contains(why, "foreign.h5:" + e.path)) << why;
    refused += contains(why, "expected numbers");
    unwritten += contains(why, "never written");
    EXPECT_EQ(contains(why, "expected numbers"), e.number == Number::none) << e.path << ": " << why;
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(unwritten, 1);
}

TEST(TensorFiles, DamageIsAnError) {
  const TemporaryFolder folder;
  Sample sample(1);
  const auto views = sample.views();
  write_tensors(folder / "a.h5", {}, std::vector<ConstTensorView>(views.begin(), views.end()));
  const std::vector<char> whole = file_bytes(folder / "a.h5");
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    write_bytes(folder / "cut.h5", std::span(whole).first(length));
    EXPECT_FALSE(error_of([&] { TensorFile(folder / "cut.h5"); }).empty()) << length;
  }
  int noticed = 0;
  for (std::size_t i = 8; i < whole.size(); i += 61) {
    std::vector<char> bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    write_bytes(folder / "flipped.h5", bytes);
    try {
      const TensorFile file(folder / "flipped.h5");
      for (const auto& e : file.entries()) file.read(e.path);
    } catch (const Error&) {
      ++noticed;
    }
  }
  EXPECT_GT(noticed, 10);
  EXPECT_TRUE(contains(error_of([&] { TensorFile(folder / "absent.h5"); }), "absent.h5"));
}

}  // namespace
}  // namespace foxhunt::checkpoints::test
