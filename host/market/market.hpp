#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace foxhunt::market {

/// Price of a level that does not exist. Its size is 0.
inline constexpr int32_t kNoPrice = INT32_MIN;
/// Prices lie within +-kMaxTicks, so that a difference of two never overflows an int32.
inline constexpr int32_t kMaxTicks = 1 << 30;
inline constexpr int64_t kMaxLevels = 64;

/// Bits of Market::flags. Those in kBookShape follow from the book itself and are checked against it.
enum RowFlag : uint8_t {
  kCrossed = 1,     ///< best bid above best ask
  kLocked = 2,      ///< best bid equal to best ask
  kOneSided = 4,    ///< exactly one side has a level
  kEmpty = 8,       ///< no side has a level
  kHalted = 16,     ///< the venue said that trading is halted
  kClosed = 32,     ///< outside the session: pre-open, auction not yet uncrossed, or out of the asked hours
  kSnapshot = 64,   ///< state replayed by the vendor, not an event of the venue
  kDoubtful = 128,  ///< the vendor lost messages: the book may be wrong
};
inline constexpr uint8_t kBookShape = kCrossed | kLocked | kOneSided | kEmpty;
inline constexpr uint8_t kUntradable = kCrossed | kOneSided | kEmpty | kHalted | kClosed | kDoubtful;

struct Instrument {
  std::string symbol;
  double tick_size = 0;   ///< price points a tick
  double multiplier = 0;  ///< money (in `currency`) a price point and lot
  std::string currency = "USD";
};

using Attribute = std::variant<int64_t, double, std::string>;

/// One instrument's order book over time, a column an array. Row r holds the book as it stood after the event
/// at `ts[r]`; rows are in the order of the source, never sorted. Prices are integer ticks, sizes lots.
/// Level l of row r is element r * levels + l; levels go from best to worst, absent ones (kNoPrice) last.
struct Market {
  Instrument instrument;
  std::string source;  ///< "dbn", "planted" or "synthetic"
  int64_t levels = 0;

  std::vector<int64_t> ts;  ///< ns since 1970 UTC; the clock that decisions are made on (receipt if known)
  std::vector<int64_t> ts_event;         ///< ns since 1970 UTC; the venue's clock
  std::vector<int32_t> bid_px, ask_px;   ///< [rows, levels] ticks
  std::vector<uint32_t> bid_sz, ask_sz;  ///< [rows, levels] lots
  std::vector<uint8_t> flags;            ///< RowFlag bits
  std::vector<int32_t> session;          ///< trading session, from 0 upwards
  std::vector<uint32_t> buy_volume;      ///< lots bought by aggressors since the previous row
  std::vector<uint32_t> sell_volume;     ///< lots sold by aggressors since the previous row
  std::vector<uint32_t>
      unsided_volume;         ///< lots traded since the previous row without an aggressor (auctions)
  std::vector<float> signal;  ///< what a generator lets the agent see in clear; empty if there is none
  std::map<std::string, Attribute> attributes;  ///< a generator's parameters, an import's quality

  int64_t rows() const { return static_cast<int64_t>(ts.size()); }
  int32_t best_bid(int64_t row) const { return bid_px[static_cast<size_t>(row * levels)]; }
  int32_t best_ask(int64_t row) const { return ask_px[static_cast<size_t>(row * levels)]; }
  bool two_sided(int64_t row) const { return best_bid(row) != kNoPrice && best_ask(row) != kNoPrice; }
  /// Spread in ticks, negative when crossed. The row must be two-sided.
  int32_t spread(int64_t row) const { return best_ask(row) - best_bid(row); }
  /// Both sides present and not crossed, session open, not halted, book not doubtful.
  bool is_tradable(int64_t row) const { return (flags[static_cast<size_t>(row)] & kUntradable) == 0; }

  /// Sets every column to `rows` rows of an empty, open book. Call with `levels` set.
  void resize(int64_t rows);
};

/// The kBookShape bits of a book with these best prices.
uint8_t book_shape(int32_t best_bid, int32_t best_ask);

/// Throws foxhunt::Error, its text beginning with `what`, unless every invariant of Market holds: column
/// sizes, levels ordered and dense, size 0 exactly where there is no price, flags that agree with the book,
/// sessions that never go back, an instrument with positive tick and multiplier, a finite signal.
void validate(const Market& market, const std::string& what);

/// A human summary, several lines: instrument, span, rows, sessions, spread, depth, parameters.
std::string describe(const Market& market);

}  // namespace foxhunt::market
