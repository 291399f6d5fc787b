#include "market/join.hpp"

#include <foxhunt/error.hpp>

#include "market/text.hpp"

namespace foxhunt::market {
namespace {

constexpr int64_t ImportCounts::* kCounts[] = {
    &ImportCounts::records,           &ImportCounts::other_instruments,  &ImportCounts::other_types,
    &ImportCounts::snapshot_records,  &ImportCounts::unchanged_events,   &ImportCounts::unfinished_records,
    &ImportCounts::unfinished_volume, &ImportCounts::cut_bytes,          &ImportCounts::receive_reversals,
    &ImportCounts::event_reversals,   &ImportCounts::negative_latency,   &ImportCounts::doubtful_receipts,
    &ImportCounts::doubtful_books,    &ImportCounts::off_tick,           &ImportCounts::unknown_orders,
    &ImportCounts::duplicate_orders,  &ImportCounts::oversize_cancels,   &ImportCounts::sideless_orders};
static_assert(sizeof kCounts / sizeof kCounts[0] == sizeof(ImportCounts) / sizeof(int64_t), "every count is summed");

std::string traits(const Market& m) {
  const Instrument& i = m.instrument;
  std::string s = i.symbol + ", tick " + shortest(i.tick_size) + ", " + shortest(i.multiplier) + " " + i.currency +
                  " a point, " + std::to_string(m.levels) + " levels";
  for (const char* name : {"dbn.dataset", "dbn.schema"})
    if (const auto a = m.attributes.find(name); a != m.attributes.end())
      if (const auto* text = std::get_if<std::string>(&a->second)) s += ", " + *text;
  return s;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void append(Market& to, const Market& from) {
  append(to.ts, from.ts);
  append(to.ts_event, from.ts_event);
  append(to.bid_px, from.bid_px);
  append(to.ask_px, from.ask_px);
  append(to.bid_sz, from.bid_sz);
  append(to.ask_sz, from.ask_sz);
  append(to.flags, from.flags);
  append(to.buy_volume, from.buy_volume);
  append(to.sell_volume, from.sell_volume);
  append(to.unsided_volume, from.unsided_volume);
  const int32_t next = to.session.back() + 1 - from.session.front();
  for (const int32_t session : from.session) to.session.push_back(session + next);
}

}  // namespace

Market import_dbn(const std::vector<std::string>& paths, const ImportOptions& options, QualityReport& report) {
  if (paths.empty()) throw Error("there is no file to import");
  Market whole = import_dbn(paths.front(), options, report);
  if (paths.size() == 1) return whole;

  for (size_t i = 1; i < paths.size(); ++i) {
    QualityReport part;
    const Market next = import_dbn(paths[i], options, part);
    if (traits(next) != traits(whole))
      throw Error("'" + paths[i] + "' (" + traits(next) + ") does not go with '" + paths.front() + "' (" + traits(whole) +
                  "); import them into files of their own");
    if (part.first_ts < report.last_ts)
      throw Error("'" + paths[i] + "' begins at " + utc(part.first_ts) + ", before '" + paths[i - 1] + "' ends at " +
                  utc(report.last_ts) + "; give the files in the order of time, without overlap");
    append(whole, next);
    for (const auto count : kCounts) report.counts.*count += part.counts.*count;
    for (const std::string& note : part.notes) report.notes.push_back("'" + paths[i] + "': " + note);
    report.last_ts = part.last_ts;
  }
  whole.attributes["dbn.files"] = static_cast<int64_t>(paths.size());
  assess(whole, report);
  store(report, whole);
  validate(whole, "the files together");
  return whole;
}

}  // namespace foxhunt::market
