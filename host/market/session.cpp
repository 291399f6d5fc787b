#include "market/session.hpp"

#include <algorithm>
#include <foxhunt/error.hpp>
#include <optional>

namespace foxhunt::market {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

/// "HH:MM" or "HH:MM:SS" as ns after midnight.
std::optional<int64_t> time_of_day(const std::string& s) {
  if (s.size() != 5 && s.size() != 8) return std::nullopt;
  int64_t part[3] = {0, 0, 0};
  for (size_t i = 0; i < s.size(); ++i) {
    if (i % 3 == 2) {
      if (s[i] != ':') return std::nullopt;
    } else {
      if (s[i] < '0' || s[i] > '9') return std::nullopt;
      part[i / 3] = part[i / 3] * 10 + (s[i] - '0');
    }
  }
  if (part[0] > 23 || part[1] > 59 || part[2] > 59) return std::nullopt;
  return ((part[0] * 60 + part[1]) * 60 + part[2]) * kSecond;
}

void gate_by_hours(Market& m, const SessionRule& rule) {
  const int64_t length = (rule.close_ns - rule.open_ns + kDay) % kDay;
  std::optional<int64_t> window;
  int32_t session = 0;
  for (size_t r = 0; r < m.ts.size(); ++r) {
    const int64_t since = m.ts[r] - rule.open_ns + kDay;  // never negative: times begin in 1970
    if (window && since / kDay > *window) ++session;
    window = window ? std::max(*window, since / kDay) : since / kDay;
    m.session[r] = session;
    if (since % kDay >= length) m.flags[r] |= kClosed;
  }
}

void close_session_until_uncrossed(Market& m, size_t begin, size_t end) {
  bool auction = false, traded = false;
  size_t r = begin, after_crossed = begin;
  for (; r < end; ++r) {
    const bool crossed = m.flags[r] & kCrossed;
    traded = traded || m.buy_volume[r] || m.sell_volume[r] || m.unsided_volume[r];
    if (crossed && !traded) auction = true;
    if (crossed) after_crossed = r + 1;
    if (traded && !(auction && crossed)) break;
  }
  if (!auction) return;
  if (!traded) r = after_crossed;  // no trade tells when the auction ended
  for (size_t i = begin; i < r; ++i) m.flags[i] |= kClosed;
}

}  // namespace

SessionRule parse_session(const std::string& text) {
  SessionRule rule;
  if (text == "auto") return rule;
  if (text == "none") {
    rule.gate = SessionRule::Gate::none;
    return rule;
  }
  const size_t dash = text.find('-');
  if (dash != std::string::npos) {
    const auto open = time_of_day(text.substr(0, dash)), close = time_of_day(text.substr(dash + 1));
    if (open && close && *open != *close) return {SessionRule::Gate::hours, *open, *close};
  }
  throw Error("session '" + text +
              "' is not understood: give auto, none, or hours in UTC such as 14:30-21:00");
}

void apply_gate(Market& m, const SessionRule& rule) {
  for (auto& f : m.flags) f = static_cast<uint8_t>(f & ~kClosed);
  if (rule.gate == SessionRule::Gate::hours) {
    gate_by_hours(m, rule);
    return;
  }
  if (rule.gate == SessionRule::Gate::none) return;
  for (size_t begin = 0, end = 0; begin < m.ts.size(); begin = end) {
    while (end < m.ts.size() && m.session[end] == m.session[begin]) ++end;
    close_session_until_uncrossed(m, begin, end);
  }
}

}  // namespace foxhunt::market
