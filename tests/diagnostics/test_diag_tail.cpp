#include <algorithm>

#include "diagnostics/diag_tail.hpp"
#include "support.hpp"

namespace foxhunt::diagnostics {
namespace {

class Tail : public RunFolder {
 protected:
  void append(const std::string& bytes) { std::ofstream(diag, std::ios::binary | std::ios::app) << bytes; }
  static std::string lines(std::int64_t first, std::int64_t last) {
    std::string all;
    for (std::int64_t step = first; step <= last; ++step)
      all += to_line(row(step, static_cast<double>(step)));
    return all;
  }
  /// Steps of the rows that a poll brings; 0 where it began again.
  std::vector<std::int64_t> poll() {
    std::vector<std::int64_t> steps;
    tail.poll([&] { steps.push_back(0); },
              [&](std::int64_t step, const Fields& fields) {
                EXPECT_EQ(fields.at(1).second, static_cast<double>(step)) << "x of the row";
                steps.push_back(step);
              });
    return steps;
  }
  DiagTail tail{diag};
};
using Steps = std::vector<std::int64_t>;

TEST_F(Tail, BringsEachLineOnce) {
  EXPECT_EQ(poll(), Steps()) << "no file yet";
  append("");
  EXPECT_EQ(poll(), Steps());
  append(lines(1, 3));
  EXPECT_EQ(poll(), (Steps{1, 2, 3}));
  EXPECT_EQ(poll(), Steps());
  append(lines(4, 4));
  EXPECT_EQ(poll(), (Steps{4}));
}

TEST_F(Tail, AHalfWrittenLineWaitsForItsEnd) {
  const std::string all = lines(1, 3);
  for (std::size_t cut = 1; cut < all.size(); cut += 7) {
    std::filesystem::remove(diag);
    DiagTail one(diag);
    Steps steps;
    const auto look = [&] {
      one.poll([&] { steps.push_back(0); }, [&](std::int64_t step, const Fields&) { steps.push_back(step); });
    };
    append(all.substr(0, cut));
    look();
    append(all.substr(cut));
    look();
    EXPECT_EQ(steps, (Steps{1, 2, 3})) << "cut at " << cut;
  }
}

TEST_F(Tail, ACutFileBeginsAgain) {
  append(lines(1, 5));
  poll();
  std::filesystem::resize_file(diag, lines(1, 2).size());
  EXPECT_EQ(poll(), (Steps{0, 1, 2}));
  append(lines(3, 3));
  EXPECT_EQ(poll(), (Steps{3}));
}

TEST_F(Tail, ACutFileThatHasGrownAgainIsNoticed) {
  // A resumed run cuts back to its checkpoint, and is soon longer than before; here with other numbers.
  append(lines(1, 9));
  poll();
  std::filesystem::resize_file(diag, lines(1, 2).size());
  std::string other;
  for (std::int64_t step = 3; step <= 20; ++step)
    other += to_line(row(step, static_cast<double>(step), 0.12345));
  append(other);
  const Steps steps = poll();
  ASSERT_EQ(steps.size(), 21u);
  EXPECT_EQ(steps[0], 0);
  EXPECT_EQ(steps[20], 20);
}

TEST_F(Tail, AReplacedFileBeginsAgain) {
  append(lines(1, 3));
  poll();
  std::filesystem::rename(diag, folder / "old.jsonl");
  EXPECT_EQ(poll(), Steps()) << "between two names what was read stays";
  append(lines(1, 4));
  EXPECT_EQ(poll(), (Steps{0, 1, 2, 3, 4}));
}

TEST_F(Tail, DamageIsLeftOut) {
  append(lines(1, 2) + "{\"step\":3,\"x\":\n" + std::string(100, '\0') + "\n" + lines(4, 5));
  EXPECT_EQ(poll(), (Steps{1, 2, 4, 5}));
  append("rubbish\n" + lines(6, 6));
  const Steps steps = poll();
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.back(), 6);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), 6), 1);
  EXPECT_EQ(poll(), Steps()) << "damage in the middle is not read again and again";
}

TEST_F(Tail, MegabytesWithoutALineEndAreNotHeld) {
  append(lines(1, 1) + std::string(5 << 20, 'x'));
  EXPECT_EQ(poll(), (Steps{1}));
  append("\n" + lines(2, 3));
  Steps all = poll();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back(), 3);
}

TEST_F(Tail, AFolderInItsPlaceIsNoFile) {
  std::filesystem::create_directory(diag);
  EXPECT_EQ(poll(), Steps());
}

}  // namespace
}  // namespace foxhunt::diagnostics
