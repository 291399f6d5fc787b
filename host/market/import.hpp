#pragma once
#include <string>

#include "market/dbn_source.hpp"
#include "market/market.hpp"
#include "market/quality.hpp"
#include "market/session.hpp"

namespace foxhunt::market {

struct ImportOptions {
  std::string instrument;  ///< symbol or number; empty: the file must hold a single one
  std::string definition;  ///< DBN definition file that gives tick size, multiplier and currency
  double tick_size = 0;    ///< price points; 0: from the definition
  double multiplier = 0;   ///< money a point and lot; 0: from the definition
  std::string currency;    ///< empty: from the definition, else USD
  int levels = 10;         ///< kept a side, 1 to 64; no more than the source shows
  SessionRule session;
  int64_t gap_ns = 60'000'000'000;  ///< pauses that the report counts
  bool allow_truncated = false;     ///< keep the whole records of a file that is cut short
  bool round_off_tick = false;      ///< prices between ticks: bids down, asks up, counted; otherwise refused
  DbnLimits limits;
};

/// The order book of one instrument from a Databento DBN file (version 1 to 3, plain or zstd) of schema mbo
/// (built from single orders), mbp-10 or mbp-1. A row is the state at the end of an event (the LAST flag)
/// that changed the levels kept; a snapshot that precedes the first event gives one row, too. `report` is
/// filled and its numbers are stored among the market's attributes. Throws foxhunt::Error for a damaged,
/// truncated or foreign file, several instruments, unknown tick size.
Market import_dbn(const std::string& path, const ImportOptions& options, QualityReport& report);

}  // namespace foxhunt::market
