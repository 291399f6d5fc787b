#include "dbn_bytes.hpp"
#include "market/session.hpp"

namespace foxhunt::market::test {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kHour = 3600 * kSecond, kDay = 24 * kHour;

struct Row {
  int64_t ts;
  int32_t spread = 1;
  uint32_t traded = 0;
  int32_t session = 0;
};

Market make(const std::vector<Row>& rows) {
  Market m;
  m.levels = 1;
  m.resize(static_cast<int64_t>(rows.size()));
  for (size_t r = 0; r < rows.size(); ++r) {
    m.ts[r] = m.ts_event[r] = rows[r].ts;
    m.bid_px[r] = 100;
    m.ask_px[r] = 100 + rows[r].spread;
    m.bid_sz[r] = m.ask_sz[r] = 1;
    m.session[r] = rows[r].session;
    m.unsided_volume[r] = rows[r].traded;
    m.flags[r] = book_shape(m.bid_px[r], m.ask_px[r]);
  }
  return m;
}

std::string closed(const Market& m) {
  std::string s;
  for (const uint8_t f : m.flags) s += f & kClosed ? 'c' : 'o';
  return s;
}

TEST(Session, OpeningAuctionIsClosedUntilUncrossed) {
  Market m = make({{1, 1}, {2, -3}, {3, 2}, {4, -3}, {5, -1, 44}, {6, 1}, {7, 1, 2}, {8, -1}, {9, 1}});
  apply_gate(m, {});
  // Row 4 trades but is still crossed; row 7 is crossed in the middle of the session: flagged, not closed.
  EXPECT_EQ(closed(m), "cccccoooo");
  EXPECT_FALSE(m.is_tradable(7));
  EXPECT_TRUE(m.is_tradable(8));
}

TEST(Session, NoAuctionMeansOpen) {
  Market m = make({{1, 1}, {2, 1, 5}, {3, -1}, {4, 1}});
  apply_gate(m, {});
  EXPECT_EQ(closed(m), "oooo");
}

TEST(Session, CrossedWithoutAnyTradeClosesThroughTheLastCrossedRow) {
  Market m = make({{1, 1}, {2, -1}, {3, 1}, {4, -1}, {5, 1}});
  apply_gate(m, {});
  EXPECT_EQ(closed(m), "cccco");
}

TEST(Session, EachSessionHasAnAuctionOfItsOwn) {
  Market m = make({{1, 1, 1}, {2, 1, 1}, {3, -2, 0, 1}, {4, -2, 0, 1}, {5, 1, 4, 1}});
  apply_gate(m, {});
  EXPECT_EQ(closed(m), "oocco");
}

TEST(Session, APauseStartsASession) {
  SessionCounter c(1800 * kSecond);
  EXPECT_EQ(c.at(5 * kHour), 0);
  EXPECT_EQ(c.at(5 * kHour + 1800 * kSecond), 0);
  EXPECT_EQ(c.at(2 * kHour), 0);  // a clock that runs back
  EXPECT_EQ(c.at(9 * kHour), 1);
  EXPECT_EQ(c.current(), 1);
}

TEST(Session, NoneOpensEverything) {
  Market m = make({{1, 1}, {2, -3}, {3, 1, 5}});
  m.flags[0] |= kClosed;
  apply_gate(m, parse_session("none"));
  EXPECT_EQ(closed(m), "ooo");
}

TEST(Session, HoursOfTheDay) {
  Market m = make({{kDay + 13 * kHour},
                   {kDay + 14 * kHour},
                   {kDay + 20 * kHour},
                   {kDay + 21 * kHour},
                   {2 * kDay + 15 * kHour}});
  apply_gate(m, parse_session("14:00-21:00"));
  EXPECT_EQ(closed(m),
            "coo"
            "co");
  EXPECT_EQ(m.session[2], m.session[1]);
  EXPECT_EQ(m.session[4], m.session[1] + 1);
}

TEST(Session, HoursOverMidnight) {
  Market m =
      make({{kDay + 21 * kHour}, {kDay + 23 * kHour}, {2 * kDay + 2 * kHour}, {2 * kDay + 23 * kHour}});
  apply_gate(m, parse_session("22:30:00-03:00"));
  EXPECT_EQ(closed(m), "cooo");
  EXPECT_EQ(m.session[1], m.session[2]);
  EXPECT_EQ(m.session[3], m.session[2] + 1);
}

TEST(Session, ParseRefusesNonsense) {
  for (const char* text : {"", "open", "9-5", "09:00", "09:00-09:00", "25:00-26:00", "09:61-10:00",
                           "09:00-10:00:99", "0a:00-10:00", "09:00-10:00-11:00"})
    EXPECT_TRUE(contains(error_of([&] { parse_session(text); }), "14:30-21:00")) << text;
}

}  // namespace
}  // namespace foxhunt::market::test
