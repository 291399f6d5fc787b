#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "market/market.hpp"

namespace foxhunt::market {

/// What an import saw in the source's records, before they became rows.
struct ImportCounts {
  int64_t records = 0;             ///< of the chosen instrument
  int64_t other_instruments = 0;   ///< records of instruments that were not chosen
  int64_t other_types = 0;         ///< records that say nothing about the book
  int64_t snapshot_records = 0;    ///< records replayed by the vendor
  int64_t unchanged_events = 0;    ///< events that left the levels kept as they were: no row
  int64_t unfinished_records = 0;  ///< at the end of the file, of an event whose last record is missing
  int64_t unfinished_volume = 0;   ///< lots traded after the last row
  int64_t cut_bytes = 0;           ///< of a last record that the file does not hold whole
  int64_t receive_reversals = 0;   ///< receipt clock ran back
  int64_t event_reversals = 0;     ///< venue's clock ran back
  int64_t negative_latency = 0;    ///< received before it happened
  int64_t doubtful_receipts = 0;   ///< the vendor marked the receipt time as bad
  int64_t doubtful_books = 0;      ///< the vendor marked the book as possibly wrong
  int64_t off_tick = 0;            ///< prices between two ticks
  int64_t unknown_orders = 0;      ///< cancels and modifications of orders that were never added
  int64_t duplicate_orders = 0;    ///< additions under the number of a resting order
  int64_t oversize_cancels = 0;    ///< cancels of more than rested
  int64_t sideless_orders = 0;     ///< orders on neither side: not in the book
};

/// A distribution weighted by the time that each value stood.
struct Depth {
  double mean = 0, p10 = 0, p50 = 0, p90 = 0;
};

struct QualityReport {
  bool imported = false;  ///< whether `counts` says anything
  ImportCounts counts;

  int64_t rows = 0, tradable = 0, sessions = 0;
  int64_t first_ts = 0, last_ts = 0;  ///< snapshots aside
  int64_t first_tradable_ts = -1;
  int64_t crossed = 0, locked = 0, one_sided = 0, empty = 0, halted = 0, closed = 0, doubtful = 0;
  int64_t last_crossed_ts = -1;
  int64_t deepest_cross = 0;        ///< most negative spread in ticks, 0 if never crossed
  int64_t crossed_while_open = 0;   ///< crossed rows inside the session
  int64_t row_clock_reversals = 0;  ///< rows stamped before their predecessor
  int64_t gaps = 0;                 ///< pauses longer than `gap_ns` within a session
  int64_t gap_ns = 60'000'000'000;
  int64_t longest_gap_ns = 0, longest_gap_ts = -1;

  // Tradable rows only, weighted by the time until the next row of the same session.
  static constexpr int kSpreadBins = 10;
  std::array<double, kSpreadBins + 1> spread_share{};  ///< [s] share of time at s ticks; [10] at 10 or more
  double mean_spread = 0;
  std::vector<Depth> bid_depth, ask_depth;  ///< lots a level

  int64_t mid_changes = 0;
  double reversal = 0;  ///< share of mid changes that go against the one before
  int64_t buy_volume = 0, sell_volume = 0, unsided_volume = 0;
  std::vector<std::string> notes;
};

/// Fills all but `counts` and `notes` from the rows.
void assess(const Market& market, QualityReport& report);

/// Several lines for a person.
std::string to_text(const QualityReport& report);

/// Adds the report's numbers to market.attributes, each named "quality.<field>".
void store(const QualityReport& report, Market& market);

}  // namespace foxhunt::market
