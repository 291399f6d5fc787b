#include <utility>

#include "market/quality.hpp"
#include "market/text.hpp"

namespace foxhunt::market {
namespace {

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

std::string book_line(const QualityReport& q) {
  std::string s = "crossed " + grouped(q.crossed) + ", locked " + grouped(q.locked) + ", one-sided " +
                  grouped(q.one_sided) + ", empty " + grouped(q.empty) + ", halted " + grouped(q.halted) +
                  ", doubtful " + grouped(q.doubtful);
  if (q.crossed)
    s += "\n             last crossed " + utc(q.last_crossed_ts) + ", deepest " +
         std::to_string(q.deepest_cross) + " ticks, inside the session " + grouped(q.crossed_while_open);
  return s;
}

std::string session_line(const QualityReport& q) {
  std::string s = grouped(q.sessions) + (q.sessions == 1 ? " session, " : " sessions, ") + grouped(q.closed) +
                  " rows closed, " + grouped(q.tradable) + " tradable";
  if (q.first_tradable_ts >= 0) s += ", from " + utc(q.first_tradable_ts);
  return s;
}

std::string spread_line(const QualityReport& q) {
  std::string s;
  for (size_t i = 0; i < q.spread_share.size(); ++i) {
    if (q.spread_share[i] < 0.0005) continue;
    if (!s.empty()) s += ", ";
    s += std::to_string(i) + (i + 1 == q.spread_share.size() ? "+" : "") + (i == 1 ? " tick " : " ticks ") +
         percent(q.spread_share[i]);
  }
  if (s.empty()) return "no tradable time";
  return s + " of the time, mean " + fixed(q.mean_spread, 3) + " ticks";
}

std::string depth_line(const std::vector<Depth>& side) {
  std::string s;
  for (const Depth& d : side) {
    if (!s.empty()) s += ' ';
    s += fixed(d.mean, 1);
  }
  if (!side.empty())
    s += "  (best: 10 % " + fixed(side[0].p10, 0) + ", median " + fixed(side[0].p50, 0) + ", 90 % " +
         fixed(side[0].p90, 0) + ")";
  return s;
}

std::string source_lines(const ImportCounts& c) {
  std::string s = "records      " + grouped(c.records) + " (" + grouped(c.snapshot_records) +
                  " of a snapshot, " + grouped(c.unchanged_events) + " events without change, " +
                  grouped(c.other_instruments) + " of other instruments, " + grouped(c.other_types) +
                  " of other types)\n";
  s += "clocks       receipt ran back " + grouped(c.receive_reversals) + ", venue ran back " +
       grouped(c.event_reversals) + ", negative latency " + grouped(c.negative_latency) +
       ", receipt marked bad " + grouped(c.doubtful_receipts) + "\n";
  const std::pair<const char*, int64_t> faults[] = {
      {"prices off the tick", c.off_tick},
      {"orders never added", c.unknown_orders},
      {"order numbers used twice", c.duplicate_orders},
      {"cancels beyond what rested", c.oversize_cancels},
      {"orders without a side", c.sideless_orders},
      {"records with a doubtful book", c.doubtful_books},
      {"records of an unfinished last event", c.unfinished_records},
      {"lots traded after the last row", c.unfinished_volume},
      {"bytes of a cut last record", c.cut_bytes}};
  std::string bad;
  for (const auto& [name, n] : faults)
    if (n) bad += (bad.empty() ? "" : ", ") + std::string(name) + " " + grouped(n);
  return s + "faults       " + (bad.empty() ? "none" : bad) + "\n";
}

}  // namespace

std::string to_text(const QualityReport& q) {
  std::string s;
  if (q.imported) s += source_lines(q.counts);
  s += "rows         " + grouped(q.rows) + " over " + duration(q.last_ts - q.first_ts) + "\n";
  s += "span         " + utc(q.first_ts) + " to " + utc(q.last_ts) + "\n";
  s += "book         " + book_line(q) + "\n";
  s += "session      " + session_line(q) + "\n";
  s += "gaps         " + grouped(q.gaps) + " longer than " + duration(q.gap_ns);
  if (q.longest_gap_ts >= 0)
    s += ", longest " + duration(q.longest_gap_ns) + " after " + utc(q.longest_gap_ts);
  s += "\nspread       " + spread_line(q) + "\n";
  s += "bid depth    " + depth_line(q.bid_depth) + "\n";
  s += "ask depth    " + depth_line(q.ask_depth) + "\n";
  s += "mid          " + grouped(q.mid_changes) + " changes";
  // Of fewer than two changes none could have been taken back.
  if (q.mid_changes > 1) s += ", the next goes back with probability " + fixed(q.reversal, 3);
  s += "\n";
  s += "traded       bought " + grouped(q.buy_volume) + ", sold " + grouped(q.sell_volume) +
       ", without a side " + grouped(q.unsided_volume) + " lots\n";
  for (const std::string& note : q.notes) s += "note         " + note + "\n";
  return s;
}

void store(const QualityReport& q, Market& m) {
  const auto put = [&m](const char* name, Attribute value) {
    m.attributes["quality." + std::string(name)] = std::move(value);
  };
  const ImportCounts& c = q.counts;
  const std::pair<const char*, int64_t> counts[] = {{"records", c.records},
                                                    {"other_instruments", c.other_instruments},
                                                    {"other_types", c.other_types},
                                                    {"snapshot_records", c.snapshot_records},
                                                    {"unchanged_events", c.unchanged_events},
                                                    {"unfinished_records", c.unfinished_records},
                                                    {"unfinished_volume", c.unfinished_volume},
                                                    {"cut_bytes", c.cut_bytes},
                                                    {"receive_reversals", c.receive_reversals},
                                                    {"event_reversals", c.event_reversals},
                                                    {"negative_latency", c.negative_latency},
                                                    {"doubtful_receipts", c.doubtful_receipts},
                                                    {"doubtful_books", c.doubtful_books},
                                                    {"off_tick", c.off_tick},
                                                    {"unknown_orders", c.unknown_orders},
                                                    {"duplicate_orders", c.duplicate_orders},
                                                    {"oversize_cancels", c.oversize_cancels},
                                                    {"sideless_orders", c.sideless_orders}};
  if (q.imported)
    for (const auto& [name, n] : counts) put(name, n);
  const std::pair<const char*, int64_t> rows[] = {{"rows", q.rows},
                                                  {"tradable", q.tradable},
                                                  {"sessions", q.sessions},
                                                  {"crossed", q.crossed},
                                                  {"locked", q.locked},
                                                  {"one_sided", q.one_sided},
                                                  {"empty", q.empty},
                                                  {"halted", q.halted},
                                                  {"closed", q.closed},
                                                  {"doubtful", q.doubtful},
                                                  {"last_crossed_ts", q.last_crossed_ts},
                                                  {"deepest_cross", q.deepest_cross},
                                                  {"crossed_while_open", q.crossed_while_open},
                                                  {"row_clock_reversals", q.row_clock_reversals},
                                                  {"gaps", q.gaps},
                                                  {"gap_ns", q.gap_ns},
                                                  {"longest_gap_ns", q.longest_gap_ns},
                                                  {"first_tradable_ts", q.first_tradable_ts},
                                                  {"mid_changes", q.mid_changes},
                                                  {"buy_volume", q.buy_volume},
                                                  {"sell_volume", q.sell_volume},
                                                  {"unsided_volume", q.unsided_volume}};
  for (const auto& [name, n] : rows) put(name, n);
  put("reversal", q.reversal);
  put("mean_spread", q.mean_spread);
  for (size_t i = 0; i < q.spread_share.size(); ++i)
    if (q.spread_share[i] > 0) put(("spread_share_" + std::to_string(i)).c_str(), q.spread_share[i]);
  for (size_t i = 0; i < q.notes.size(); ++i) put(("note_" + std::to_string(i)).c_str(), q.notes[i]);
}

}  // namespace foxhunt::market
