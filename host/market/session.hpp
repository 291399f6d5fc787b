#pragma once
#include <cstdint>
#include <string>

#include "market/market.hpp"

namespace foxhunt::market {

/// How rows are put into trading sessions, and which of them are open to trading.
struct SessionRule {
  enum class Gate {
    automatic,  ///< closed until a session's opening auction, if it shows one, has uncrossed
    none,       ///< every row is open
    hours,      ///< open between two times of day
  };
  Gate gate = Gate::automatic;
  int64_t open_ns = 0,
          close_ns = 0;  ///< `hours`: ns after midnight UTC; close before open runs over midnight
  /// A pause longer than this starts another session (not with `hours`, where each window is a session).
  int64_t pause_ns = 1'800'000'000'000;
};

/// Numbers sessions by the pauses between a source's records. Rows are no guide: a quiet book shows none for
/// long.
class SessionCounter {
 public:
  explicit SessionCounter(int64_t pause_ns) : pause_ns_(pause_ns) {}
  /// The session of a record at `ts`; records that go back in time stay in the present one.
  int32_t at(int64_t ts) {
    if (last_ >= 0 && ts - last_ > pause_ns_) ++session_;
    last_ = ts;
    return session_;
  }
  int32_t current() const { return session_; }

 private:
  int64_t pause_ns_;
  int64_t last_ = -1;
  int32_t session_ = 0;
};

/// "auto", "none" or "HH:MM[:SS]-HH:MM[:SS]" in UTC. Throws foxhunt::Error for anything else.
SessionRule parse_session(const std::string& text);

/// Sets the kClosed flag of every row; with `hours` also numbers the sessions anew, one a window.
///
/// The automatic gate: a book that is crossed before its session has seen a trade is an auction's, since a
/// continuous market would have matched it. Such a session is closed from its first row until the first row
/// that is not crossed and has a trade at or before it (without any trade: through its last crossed row). A
/// session that shows no auction is open throughout.
void apply_gate(Market& market, const SessionRule& rule);

}  // namespace foxhunt::market
