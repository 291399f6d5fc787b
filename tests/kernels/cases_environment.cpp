#include <cmath>
#include <limits>

#include "cases.hpp"
#include "kernels/environment.hpp"
#include "kernels/manifest.hpp"

namespace foxhunt::kernels::test {
namespace {

constexpr double no_price = -2147483648.0;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void observe_cases(Cases& cases) {
  for (const auto& [accounts, features] : {std::pair<int64_t, int64_t>{1, 1}, {7, 5}, {33, 40}}) {
    const int64_t rows = 13, all = features + 6, book = features;
    cases.add(program_kernels(), observe, "accounts " + std::to_string(accounts), Grid::elements(accounts),
              {constant("BOOK_FEATURES", features), constant("FEATURES", all)},
              {normal(rows * features, 1), integers(rows, 2, -500, 20000), normal(rows, 3),
               integers(accounts, 4, 0, rows - 1), with(integers(accounts, 5, -4, 4), {-4}),
               normal(accounts, 6, 5000), normal(accounts, 7, 1e6), integers(accounts, 8, 0, 5000),
               unwritten(accounts * all), {4}, {12.5}, {static_cast<double>(accounts)}},
              [=](Arguments& a) {
                for (int64_t i = 0; i < accounts; ++i) {
                  const auto soft_sign = [](double v) { return v / (1 + std::abs(v)); };
                  const size_t r = at(static_cast<int64_t>(a["row"][at(i)]));
                  const double lots = a["position"][at(i)], mid = a["mark2"][r] / 2;
                  double* x = &a["x"][at(i * all)];
                  for (int64_t f = 0; f < book; ++f) *x++ = a["book_features"][r * at(book) + at(f)];
                  *x++ = lots / 4;
                  *x++ = std::abs(lots) / 4;
                  *x++ = soft_sign(lots * (mid - a["entry_price"][at(i)]) / 40);
                  *x++ = soft_sign(a["age"][at(i)] / 50);
                  *x++ = a["session_left"][r];
                  *x++ = soft_sign((a["cash"][at(i)] / 12.5 + lots * mid) / 400);
                }
              });
  }
}

void action_target_cases(Cases& cases) {
  for (const int64_t accounts : {1, 7, 33})
    for (const double lot : {1.0, 0.25})
      cases.add(program_kernels(), action_target, "accounts " + std::to_string(accounts) + " lot " + std::to_string(lot),
                Grid::elements(accounts), {constant("LEVELS", 3)},
                {integers(accounts, 1, 0, 8), with(integers(accounts, 2, -5, 5), {-3, 0, 5}), unwritten(accounts), {1},
                 {2}, {4}, {lot}, {static_cast<double>(accounts)}},
                [=](Arguments& a) {
                  for (int64_t i = 0; i < accounts; ++i) {
                    const double held = a["position"][at(i)];
                    const double asked[9] = {-4, -2, -1, held, 1, 2, 4, std::trunc(held / 2 / lot) * lot, 0};
                    a["target"][at(i)] = asked[at(static_cast<int64_t>(a["action"][at(i)]))];
                  }
                });
}

void action_mask_cases(Cases& cases) {
  for (const int64_t accounts : {1, 7, 33})
    cases.add(program_kernels(), action_mask, "accounts " + std::to_string(accounts), Grid::elements(accounts),
              {constant("LEVELS", 3)},
              {with(integers(accounts, 2, -1, 1), {0, 0.25, -4}), unwritten(9 * accounts), {static_cast<double>(accounts)}},
              [=](Arguments& a) {
                for (int64_t i = 0; i < accounts; ++i)
                  for (int64_t k = 0; k < 9; ++k)
                    a["mask"][at(9 * i + k)] = k < 7 || a["position"][at(i)] != 0 ? 1 : 0;
              });
}

/// A market of a few rows in which everything occurs, and accounts anywhere in it.
struct Setting {
  std::string name;
  int64_t accounts, levels;
  double rounding = 1, lot = 1, fee = 0.85, ruin = -1e9;
  uint64_t seed = 1;
  Values sized = {};  ///< put over the beginning
};

class Market {
 public:
  Market(const Arguments& a, int64_t levels) : a_(a), levels_(levels) {}

  bool buys = false;
  double lots = 0, value = 0;  ///< of what was filled

  /// Fills an order of so many lots in this row; `forced`: the rest at the deepest price shown, or at the mid.
  void fill(int64_t row, bool buy, double wanted, bool forced) {
    buys = buy;
    const Values& price = a_[buy ? "ask_price" : "bid_price"];
    const Values& size = a_[buy ? "ask_size" : "bid_size"];
    const double mid = std::trunc(a_["mark2"][at(row)] / 2);
    double last = mid;
    if (a_["tradable"][at(row)] != 0)
      for (int64_t l = row * levels_; l < (row + 1) * levels_; ++l) {
        if (price[at(l)] == no_price) continue;
        const double now = std::min(wanted - lots, size[at(l)]);
        lots += now;
        value += now * price[at(l)];
        last = price[at(l)];
      }
    if (forced) {
      value += (wanted - lots) * last;
      lots = wanted;
    }
  }

 private:
  const Arguments& a_;
  int64_t levels_;
};

double rounded(double lots, double lot, double rounding) {
  if (rounding == 0 || std::isnan(lots)) return lots;
  const double units = std::abs(lots / lot);
  return std::copysign((rounding == 1 ? std::floor(units + 0.5) : std::floor(units)) * lot, lots);
}

// One account's step, written as the rules of the design: what it wants, what the book gives, what that does to
// its money.
void step_account(Arguments& a, int64_t account, int64_t levels) {
  const size_t i = at(account);
  const bool closing = a["ended"][i] != 0;
  const auto now = static_cast<int64_t>(a["row"][i]);
  const auto later = static_cast<int64_t>(a["next_row"][at(now)]);
  const int64_t to = later < 0 ? now : later;
  const double end_of_row = closing ? 0 : a["row_end"][at(to)];
  const bool forced = closing || end_of_row != 0;
  const double tick = a.number("tick_value"), fee = a.number("fee");

  const double held = a["position"][i], entry = a["entry_price"][i];
  double wanted = rounded(a["sized"][i], a.number("lot"), a.number("rounding"));
  const auto action = static_cast<int64_t>(a["action"][i]);
  if (action == 3) wanted = held;
  if (action == 7) wanted = rounded(held / 2, a.number("lot"), 2);
  if (action == 8 || forced) wanted = 0;
  // A closing waits for a book to trade on.
  const bool waits = closing && held != 0 && a["tradable"][at(to)] == 0;
  if (waits) wanted = held;

  Market market(a, levels);
  if (wanted != held && !std::isnan(wanted))
    market.fill(to, wanted > held, std::abs(wanted - held), forced);
  const double sign = market.buys ? 1 : -1;
  const double position = held + sign * market.lots;
  const double paid = fee * market.lots;
  const double cash = a["cash"][i] - sign * market.value * tick - paid;
  const double equity_before = a["cash"][i] + held * a["mark2"][at(now)] / 2 * tick;
  const double equity = cash + position * a["mark2"][at(to)] / 2 * tick;

  const double average = market.lots > 0 ? market.value / market.lots : 0;
  const bool reduces = held * sign < 0;
  const double closed = reduces ? std::min(market.lots, std::abs(held)) : 0;
  double entry_after = entry;
  if (market.lots > 0) {
    if (position == 0)
      entry_after = 0;
    else if (held == 0 || held * position < 0)
      entry_after = average;
    else if (!reduces)
      entry_after = (std::abs(held) * entry + market.lots * average) / (std::abs(held) + market.lots);
  }
  const double profit = closed * (average - entry) * (held > 0 ? 1 : -1) * tick;
  a["trades"][i] += closed > 0;
  a["wins"][i] += closed > 0 && profit > 2 * fee * closed;

  a["pnl"][i] += equity - equity_before;
  a["fees"][i] += paid;
  a["fill_row"][i] = static_cast<double>(to);
  a["fill_lots"][i] = sign * market.lots;
  a["fill_value"][i] = sign * market.value;
  a["equity"][i] = equity;
  a["valid"][i] = !closing;
  a["reward"][i] = closing ? 0 : (equity - equity_before) / tick * a.number("reward_scale");

  double ended = 0;
  if (!closing) {
    const bool truncated = a["steps_left"][i] <= 1 || end_of_row == 2;
    const bool terminated = end_of_row == 1 || equity <= a.number("ruin");
    ended = terminated ? 1 : truncated ? 2 : 0;
  }
  a["done"][i] = ended;
  a["episodes"][i] += ended != 0;
  a["row"][i] = static_cast<double>(to);
  a["position"][i] = position;
  a["entry_price"][i] = entry_after;
  a["cash"][i] = cash;
  a["age"][i] = held * position > 0 ? a["age"][i] + 1 : 0;
  if (!closing) a["steps_left"][i] -= 1;
  if (!waits) a["ended"][i] = ended;
  if (!closing || waits) return;

  const auto step = static_cast<uint64_t>(a["step"][0]);
  const PhiloxBlock draw =
      philox({static_cast<uint32_t>(a.number("key0")), static_cast<uint32_t>(a.number("key1"))},
             {static_cast<uint32_t>(account), static_cast<uint32_t>(a.number("salt")), static_cast<uint32_t>(step),
              static_cast<uint32_t>(step >> 32)});
  a["row"][i] = a["starts"][static_cast<size_t>(draw.word[0] * 0x1p-32 * a.number("start_count"))];
  for (const char* name : {"position", "entry_price", "cash", "age"}) a[name][i] = 0;
  a["steps_left"][i] = a.number("episode_steps");
}

void account_step_case(Cases& cases, const Setting& s) {
  const int64_t rows = 23, n = s.accounts, levels = s.levels;
  Values bid(at(rows * levels)), ask(bid), mark2(at(rows)), next(at(rows));
  const Values mid = integers(rows, s.seed, 990, 1010), spread = integers(rows, s.seed + 1, 1, 2);
  const Values absent = flags(rows * levels, s.seed + 2, 0.15);
  for (int64_t r = 0; r < rows; ++r) {
    mark2[at(r)] = 2 * mid[at(r)] + spread[at(r)];
    next[at(r)] = static_cast<double>(r + 1 < rows ? r + 1 : -1);
    for (int64_t l = 0; l < levels; ++l) {
      const size_t k = at(r * levels + l);
      bid[k] = absent[k] != 0 ? no_price : mid[at(r)] - static_cast<double>(l);
      ask[k] = absent[k] != 0 && l % 2 ? no_price : mid[at(r)] + spread[at(r)] + static_cast<double>(2 * l);
    }
  }
  const Values held = integers(n, s.seed + 3, -5, 5);
  Values entry = integers(n, s.seed + 4, 980, 1020);
  for (int64_t i = 0; i < n; ++i)
    if (held[at(i)] == 0) entry[at(i)] = 0;
  cases.add(program_kernels(), account_step, s.name, Grid::elements(n), {constant("LEVELS", levels)},
            {bid,
             ask,
             integers(rows * levels, s.seed + 5, 0, 3),
             integers(rows * levels, s.seed + 6, 0, 3),
             mark2,
             next,
             flags(rows, s.seed + 7, 0.85),
             integers(rows, s.seed + 8, -5, 2),
             integers(5, s.seed + 9, 0, rows - 2),
             integers(n, s.seed + 10, 0, 8),
             with(normal(n, s.seed + 11, 3), s.sized),
             with(integers(n, s.seed + 12, 0, rows - 1), {static_cast<double>(rows - 1)}),
             held,
             entry,
             normal(n, s.seed + 13, 1e5),
             integers(n, s.seed + 14, 0, 50),
             integers(n, s.seed + 15, 1, 9),
             integers(n, s.seed + 16, -6, 2),
             normal(n, s.seed + 17, 100),
             integers(n, s.seed + 18, 0, 100),
             integers(n, s.seed + 19, 0, 100),
             integers(n, s.seed + 20, 0, 100),
             integers(n, s.seed + 21, 0, 100),
             {0x3'0000'0007},
             unwritten(n),
             unwritten(n),
             unwritten(n),
             unwritten(n),
             unwritten(n),
             unwritten(n),
             unwritten(n),
             {12.5},
             {s.fee},
             {0.01},
             {s.lot},
             {s.ruin},
             {s.rounding},
             {5},
             {512},
             {0x89abcdef},
             {0xfedcba98},
             {3},
             {static_cast<double>(n)}},
            [n, levels](Arguments& a) {
              for (int64_t i = 0; i < n; ++i) step_account(a, i, levels);
            });
  Arguments& given = cases.list.back().arguments;
  // Drawn as "mostly 0": what came out below is 0.
  for (const char* name : {"row_end", "ended"})
    for (double& v : given[name]) v = std::max(v, 0.0);
  // A session ends on a row with a book to trade on.
  for (size_t r = 0; r < at(rows); ++r)
    if (given["row_end"][r] != 0) given["tradable"][r] = 1;
}

}  // namespace

void environment_cases(Cases& cases) {
  observe_cases(cases);
  action_target_cases(cases);
  action_mask_cases(cases);
  account_step_case(cases, {.name = "one account", .accounts = 1, .levels = 1});
  account_step_case(cases, {.name = "7 accounts", .accounts = 7, .levels = 3, .seed = 40});
  account_step_case(cases, {.name = "33 accounts, to zero", .accounts = 33, .levels = 10, .rounding = 2, .seed = 80});
  account_step_case(cases, {.name = "any lots", .accounts = 33, .levels = 3, .rounding = 0, .seed = 120});
  account_step_case(
      cases, {.name = "small lots, ruin", .accounts = 33, .levels = 3, .lot = 0.25, .ruin = 1e5, .seed = 160});
  account_step_case(cases, {.name = "5000 accounts, rebate", .accounts = 5000, .levels = 5, .fee = -0.25, .seed = 200});
  cases.list.back().large = true;
  account_step_case(cases, {.name = "sizes that are no numbers of lots",
                            .accounts = 33,
                            .levels = 3,
                            .seed = 240,
                            .sized = {nan, nan, nan, nan, nan, nan, nan, 1e30, -1e30, 1e30, -1e30, INFINITY, -INFINITY,
                                      0.0, -0.0, 0.49, -0.5, 0.5}});
}

}  // namespace foxhunt::kernels::test
