#include "market/import.hpp"

#include <cmath>
#include <foxhunt/error.hpp>
#include <optional>

#include "market/dbn_definition.hpp"
#include "market/dbn_reader.hpp"
#include "market/instrument_choice.hpp"
#include "market/order_book.hpp"
#include "market/row_builder.hpp"
#include "market/text.hpp"

namespace foxhunt::market {
namespace {

/// Where the three book schemas keep what they share.
struct Fields {
  size_t price, size, flags, action, side, receipt;
};
constexpr Fields kMboFields{24, 32, 36, 38, 39, 40};
constexpr Fields kMbpFields{16, 24, 30, 28, 29, 32};
constexpr size_t kLevelsAt = 48, kLevelBytes = 32;

/// 1e-9 price points to ticks.
class Grid {
 public:
  Grid(double tick_size, bool round) : tick_(std::llround(tick_size * 1e9)), round_(round) {
    if (tick_ <= 0)
      throw Error("a tick size of " + shortest(tick_size) + " is too small: prices have steps of 1e-9");
  }
  int32_t ticks(int64_t price, Side side, const DbnReader& reader) {
    int64_t t = price / tick_;
    if (const int64_t rest = price % tick_; rest != 0) {
      if (!round_)
        throw Error("'" + reader.path() + "': a price of " + fixed(static_cast<double>(price) * 1e-9, 9) +
                    " is not a multiple of the tick size " + shortest(static_cast<double>(tick_) * 1e-9) +
                    reader.where() + "; give the right --tick or --definition, or --round-off-tick");
      ++off_tick;
      if (side == Side::bid && rest < 0) --t;
      if (side == Side::ask && rest > 0) ++t;
    }
    if (t < -kMaxTicks || t > kMaxTicks)
      throw Error("'" + reader.path() + "': a price of " + fixed(static_cast<double>(price) * 1e-9, 9) +
                  " is " + std::to_string(t) + " ticks, out of range" + reader.where());
    return static_cast<int32_t>(t);
  }
  int64_t off_tick = 0;

 private:
  int64_t tick_;
  bool round_;
};

int64_t known_time(uint64_t t, const DbnReader& reader) {
  if (t > INT64_MAX)
    throw Error("'" + reader.path() + "' is damaged: a time beyond the year 2262" + reader.where());
  return static_cast<int64_t>(t);
}

class Importer {
 public:
  Importer(const std::string& path, const ImportOptions& options)
      : options_(options),
        reader_(path, options.limits, options.allow_truncated),
        choice_(reader_, options.instrument),
        session_(options.session.pause_ns) {
    if (options.levels < 1 || options.levels > kMaxLevels)
      throw Error("levels = " + std::to_string(options.levels) + ": a market keeps 1 to " +
                  std::to_string(kMaxLevels));
    check_schema();
  }
  Market run(QualityReport& report);

 private:
  void check_schema() const;
  bool is_book(uint8_t type) const { return type == kTypeMbo || type == kTypeMbp10 || type == kTypeMbp1; }
  void begin(const DbnRecord& record);
  void on_book(const DbnRecord& record);
  void on_status(const DbnRecord& record);
  void clocks(const DbnRecord& record, const Fields& f, bool snapshot);
  void apply_order(const DbnRecord& record, char action, char side);
  void apply_levels(const DbnRecord& record);
  void end_event();

  const ImportOptions& options_;
  DbnReader reader_;
  InstrumentChoice choice_;
  Market market_;
  QualityReport report_;
  ImportCounts& n_ = report_.counts;

  uint8_t book_type_ = 0;
  std::optional<Grid> grid_;
  std::optional<RowBuilder> rows_;
  std::optional<BookTop> top_;
  OrderBook book_;
  SessionCounter session_;
  bool halted_ = false, doubtful_ = false, snapshot_ = false, pending_ = false;
  int64_t ts_ = 0, ts_event_ = 0;                    // of the last record
  int64_t newest_receipt_ = -1, newest_event_ = -1;  // of the venue's own records
};

void Importer::check_schema() const {
  const uint16_t schema = reader_.metadata().schema;
  if (schema == kSchemaMbo || schema == kSchemaMbp1 || schema == kSchemaMbp10 || schema == kSchemaMixed)
    return;
  std::string why = "an order book is needed";
  if (schema == kSchemaTrades) why = "trades alone do not show the order book that fills come from";
  if (schema == kSchemaTbbo) why = "tbbo shows the book only before each trade";
  if (schema == kSchemaDefinition) why = "definitions go beside a book, as --definition";
  throw Error("'" + reader_.path() + "' holds " + schema_name(schema) + ": " + why +
              "; import a file of schema mbo, mbp-10 or mbp-1");
}

/// The first record of the chosen instrument settles the terms and the number of levels.
void Importer::begin(const DbnRecord& record) {
  book_type_ = record.type();
  Instrument& i = market_.instrument;
  i.symbol = choice_.symbol(record.instrument());
  i.tick_size = options_.tick_size;
  i.multiplier = options_.multiplier;
  if (!options_.definition.empty()) {
    std::string note;
    const Definition d = choose_definition(read_definitions(options_.definition, options_.limits),
                                           record.instrument(), i.symbol, options_.definition, note);
    if (!note.empty()) report_.notes.push_back(note);
    if (i.tick_size == 0 && d.tick > 0 && d.tick != kUndefinedPrice)
      i.tick_size = static_cast<double>(d.tick) * 1e-9;
    if (i.multiplier == 0 && d.multiplier > 0 && d.multiplier != kUndefinedPrice)
      i.multiplier = static_cast<double>(d.multiplier) * 1e-9;
    i.currency = d.currency.empty() ? "USD" : d.currency;
  }
  if (!options_.currency.empty()) i.currency = options_.currency;
  const auto positive = [](double x) { return std::isfinite(x) && x > 0 && x < 1e9; };
  if (!positive(i.tick_size) || !positive(i.multiplier))
    throw Error(
        "the tick size and the contract multiplier of " + i.symbol +
        " are not known, and profit cannot be computed without them: give a definition file (--definition), or both "
        "numbers (--tick 0.25 --multiplier 50 for CME E-mini S&P 500 futures)");
  grid_.emplace(i.tick_size, options_.round_off_tick);
  const int shown = book_type_ == kTypeMbp1    ? 1
                    : book_type_ == kTypeMbp10 ? 10
                                               : static_cast<int>(kMaxLevels);
  const int levels = std::min(options_.levels, shown);
  rows_.emplace(market_, levels);
  top_.emplace(levels);
}

void Importer::clocks(const DbnRecord& record, const Fields& f, bool snapshot) {
  const uint64_t event = record.ts_event(), receipt = record.at<uint64_t>(f.receipt);
  const bool has_event = event != kUndefinedTime, has_receipt = receipt != kUndefinedTime && receipt != 0;
  if (!has_event && !has_receipt)
    throw Error("'" + reader_.path() + "' is damaged: a record without any time" + reader_.where());
  ts_ = known_time(has_receipt ? receipt : event, reader_);
  ts_event_ = known_time(has_event ? event : receipt, reader_);
  if (record.at<uint8_t>(f.flags) & kFlagBadReceipt) ++n_.doubtful_receipts;
  if (snapshot) return;
  if (has_receipt && has_event && ts_ < ts_event_) ++n_.negative_latency;
  if (ts_ < newest_receipt_) ++n_.receive_reversals;
  if (ts_event_ < newest_event_) ++n_.event_reversals;
  session_.at(ts_);
  newest_receipt_ = ts_;
  newest_event_ = ts_event_;
}

void Importer::on_book(const DbnRecord& record) {
  if (!rows_) begin(record);
  if (record.type() != book_type_) {
    ++n_.other_types;
    return;
  }
  ++n_.records;
  const Fields& f = book_type_ == kTypeMbo ? kMboFields : kMbpFields;
  const uint8_t flags = record.at<uint8_t>(f.flags);
  const bool snapshot = flags & kFlagSnapshot;
  // A vendor's snapshot need not end with the LAST flag: the venue's first record ends it.
  if (snapshot_ && !snapshot && pending_) end_event();
  snapshot_ = snapshot;
  if (snapshot) ++n_.snapshot_records;
  clocks(record, f, snapshot);
  if (flags & kFlagDoubtfulBook) {
    ++n_.doubtful_books;
    doubtful_ = true;
  }
  const char action = record.at<char>(f.action), side = record.at<char>(f.side);
  pending_ = true;
  ++n_.unfinished_records;
  if (action == 'T') rows_->trade(side, record.at<uint32_t>(f.size));
  if (book_type_ == kTypeMbo)
    apply_order(record, action, side);
  else
    apply_levels(record);
  if (flags & kFlagLast) end_event();
}

void Importer::apply_order(const DbnRecord& record, char action, char side_letter) {
  const auto id = record.at<uint64_t>(16);
  const auto size = record.at<uint32_t>(kMboFields.size);
  const auto price = record.at<int64_t>(kMboFields.price);
  switch (action) {
    case 'T':
    case 'F':
    case 'N':
      return;  // never book updates: the cancel that follows a fill is
    case 'R':
      book_.clear();
      return;
    case 'C':
      book_.cancel(id, size);
      return;
    case 'A':
    case 'M':
      break;
    default:
      throw Error("'" + reader_.path() + "' is damaged: a record with action number " +
                  std::to_string(static_cast<unsigned char>(action)) + reader_.where());
  }
  if (side_letter != 'B' && side_letter != 'A') {
    ++n_.sideless_orders;
    return;
  }
  const Side side = side_letter == 'B' ? Side::bid : Side::ask;
  if (record.at<uint8_t>(kMboFields.flags) & kFlagTopOfBook)
    book_.clear(side);  // the record is the whole side
  if (price == kUndefinedPrice) return;
  const int32_t ticks = grid_->ticks(price, side, reader_);
  action == 'A' ? book_.add(id, side, ticks, size) : book_.modify(id, side, ticks, size);
}

void Importer::apply_levels(const DbnRecord& record) {
  const size_t shown = book_type_ == kTypeMbp10 ? 10 : 1;
  top_->clear();
  for (const Side side : {Side::bid, Side::ask}) {
    auto& px = side == Side::bid ? top_->bid_px : top_->ask_px;
    auto& sz = side == Side::bid ? top_->bid_sz : top_->ask_sz;
    size_t kept = 0;
    for (size_t l = 0; l < shown && kept < px.size(); ++l) {
      const size_t at = kLevelsAt + l * kLevelBytes;
      const auto price = record.at<int64_t>(at + (side == Side::bid ? 0 : 8));
      const auto size = record.at<uint32_t>(at + (side == Side::bid ? 16 : 20));
      if (price == kUndefinedPrice || size == 0) continue;  // an absent level
      const int32_t t = grid_->ticks(price, side, reader_);
      if (kept > 0 && (side == Side::bid ? t >= px[kept - 1] : t <= px[kept - 1]))
        throw Error("'" + reader_.path() + "' is damaged: levels are not ordered from best to worst" +
                    reader_.where());
      px[kept] = t;
      sz[kept] = size;
      ++kept;
    }
  }
}

void Importer::on_status(const DbnRecord& record) {
  const auto action = record.at<uint16_t>(24);
  const char trading = record.at<char>(30);
  if (trading == 'Y' || trading == 'N')
    halted_ = trading == 'N';
  else if (action == 8 || action == 9)  // halt, pause
    halted_ = true;
  else if (action == 7)  // trading
    halted_ = false;
}

void Importer::end_event() {
  if (book_type_ == kTypeMbo) book_.top(*top_);
  const auto state = static_cast<uint8_t>((halted_ ? kHalted : 0) | (doubtful_ ? kDoubtful : 0) |
                                          (snapshot_ ? kSnapshot : 0));
  if (!rows_->end_event(ts_, ts_event_, *top_, state, session_.current())) ++n_.unchanged_events;
  doubtful_ = pending_ = false;
  n_.unfinished_records = 0;
}

Market Importer::run(QualityReport& report) {
  while (const auto record = reader_.next()) {
    const bool status = record->type() == kTypeStatus;
    if (!is_book(record->type()) && !status) {
      ++n_.other_types;
    } else if (!choice_.wants(*record, !status)) {
      ++n_.other_instruments;
    } else if (status) {
      ++n_.other_types;
      on_status(*record);
    } else {
      on_book(*record);
    }
  }
  if (snapshot_ && pending_) end_event();
  choice_.finish();
  if (market_.rows() == 0)
    throw Error("'" + reader_.path() + "' holds no complete event" +
                (n_.records ? " in " + grouped(n_.records) + " records: none carries the LAST flag" : "") +
                ", so there is no book to import");
  n_.cut_bytes = reader_.cut_bytes();
  n_.off_tick = grid_->off_tick;
  n_.unknown_orders = book_.faults().unknown_orders;
  n_.duplicate_orders = book_.faults().duplicate_orders;
  n_.oversize_cancels = book_.faults().oversize_cancels;
  n_.unfinished_volume = rows_->waiting_volume();
  if (reader_.truncated()) report_.notes.push_back("the file is cut short: only its whole records were kept");
  if (n_.unknown_orders > 0 && n_.snapshot_records == 0)
    report_.notes.push_back(
        "the file does not begin with a snapshot: orders older than it are missing from the book");
  market_.source = "dbn";
  market_.attributes["dbn.schema"] = schema_name(reader_.metadata().schema);
  market_.attributes["dbn.version"] = int64_t{reader_.metadata().version};
  market_.attributes["dbn.dataset"] = reader_.metadata().dataset;
  apply_gate(market_, options_.session);
  report_.imported = true;
  report_.gap_ns = options_.gap_ns;
  assess(market_, report_);
  store(report_, market_);
  validate(market_, "'" + reader_.path() + "'");
  report = report_;
  return std::move(market_);
}

}  // namespace

Market import_dbn(const std::string& path, const ImportOptions& options, QualityReport& report) {
  return Importer(path, options).run(report);
}

}  // namespace foxhunt::market
