#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <filesystem>
#include <limits>
#include <locale>

#include "common/text.hpp"

namespace foxhunt {
namespace {

/// A locale as in half of Europe, on machines that have none installed.
struct CommaDecimals : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class WithCommas : public testing::Test {
 protected:
  WithCommas() : old_(std::locale::global(std::locale(std::locale::classic(), new CommaDecimals))) {
    std::setlocale(LC_ALL, "de_DE.UTF-8");  // also the C library's, where it is installed
  }
  ~WithCommas() override {
    std::locale::global(old_);
    std::setlocale(LC_ALL, "C");
  }

 private:
  std::locale old_;
};

TEST_F(WithCommas, NumbersKeepTheirPoint) {
  EXPECT_EQ(text("a=", 1234567, " b=", 0.1, " c=", -2.5f, ' ', true), "a=1234567 b=0.1 c=-2.5 true");
  EXPECT_EQ(rounded(1234.5678), "1235");
  EXPECT_EQ(rounded(0.012345), "0.01235");
  EXPECT_EQ(to_real("0.25"), 0.25);
  EXPECT_EQ(to_real("0,25"), std::nullopt);
}

TEST(Text, NumbersReadBackAsThemselves) {
  for (const double value : {0.1, 1e-310, 1e300, 123456789.123456789, -0.0, 5e-324}) {
    const auto back = to_real(text(value));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, value);
    EXPECT_EQ(std::signbit(*back), std::signbit(value));
  }
  EXPECT_EQ(text(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(Text, PathsAreParts) { EXPECT_EQ(text(std::filesystem::path("a/b"), ':', 3), "a/b:3"); }

TEST(Text, NumbersAreWholeWords) {
  EXPECT_EQ(to_integer("12"), 12);
  EXPECT_EQ(to_integer("-3"), -3);
  for (const char* bad : {"", "12x", " 12", "1.5", "9223372036854775808", "0x10", "--1"})
    EXPECT_EQ(to_integer(bad), std::nullopt) << bad;
  EXPECT_EQ(to_real("1e-5"), 1e-5);
  for (const char* bad : {"", "1.5 ", "1e999", "1,5", "e5"}) EXPECT_EQ(to_real(bad), std::nullopt) << bad;
}

TEST(Text, SplitsAndTrims) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \t"), "");
  EXPECT_EQ(split("a, b,,c ", ','), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{}));
  EXPECT_EQ(words("  c51 \t twin:c51 "), (std::vector<std::string>{"c51", "twin:c51"}));
  EXPECT_EQ(words(" "), (std::vector<std::string>{}));
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
}

TEST(Text, ShowsRubbishSafely) {
  EXPECT_EQ(shown(std::string_view("a\0\x1b\xff", 4)), "a\\x00\\x1b\\xff");
  EXPECT_EQ(shown(std::string(1000, 'x'), 5), "xxxxx…");
}

TEST(Text, Identifiers) {
  EXPECT_TRUE(is_identifier("c51"));
  EXPECT_TRUE(is_identifier("a_b2"));
  for (const char* bad : {"", "5c", "_a", "A", "a-b", "ä"}) EXPECT_FALSE(is_identifier(bad)) << bad;
}

TEST(Text, FindsTheNearestName) {
  const std::vector<std::string> names{"trainer.accounts", "trainer.horizon", "trainer.iterations", "heads"};
  EXPECT_EQ(nearest("trainer.acounts", names), "trainer.accounts");
  EXPECT_EQ(nearest("trainer.horzion", names), "trainer.horizon");
  EXPECT_EQ(nearest("haeds", names), "heads");
  EXPECT_EQ(nearest("zzzzz", names), std::nullopt);
  EXPECT_EQ(nearest(std::string(1 << 20, 'h'), names), std::nullopt);
}

}  // namespace
}  // namespace foxhunt
