// Accounts that trade the book with marketable orders.
//
// An episode that has ended is closed on the account's *next* step: the observation in between is the true last
// one, so the value of the last state needs no second pass through the encoder. That step is not valid: it
// trades nothing but the closing order, earns no reward and teaches nothing; where the book cannot be traded on,
// the closing waits for one that can. On the last row of a session or of the data the closing order replaces the
// agent's: its price is part of the last reward. The feed ends both on a row with a book to trade on.
// Constants: LEVELS.
#include "common/philox.cuh"
#include "common/platform.cuh"

#define NO_PRICE (-2147483647 - 1)
#define RUNNING 0
#define TERMINATED 1
#define TRUNCATED 2
#define ENDS_SESSION 1
#define ENDS_DATA 2

struct Fill {
  double lots;   // unsigned
  double value;  // sum of price in ticks * lots
};

// Takes up to `lots` from the levels shown; what they do not hold stays unfilled.
static __device__ inline Fill walk(const int* price, const int* size, double lots) {
  Fill fill = {0.0, 0.0};
  for (int level = 0; level < LEVELS; ++level) {
    const bool present = price[level] != NO_PRICE;
    const double left = lots - fill.lots;
    double take = present ? static_cast<double>(size[level]) : 0.0;
    take = take < left ? take : left;
    fill.lots += take;
    fill.value += present ? take * price[level] : 0.0;
  }
  return fill;
}

// The deepest price shown: where lots that must go, but that nobody shows interest in, are priced.
static __device__ inline int deepest(const int* price, int otherwise) {
  int found = otherwise;
  for (int level = 0; level < LEVELS; ++level)
    if (price[level] != NO_PRICE) found = price[level];
  return found;
}

static __device__ inline double round_lots(double lots, double lot, int rounding) {
  if (rounding == 0) return lots;
  const double units = lots / lot, magnitude = units < 0.0 ? -units : units;
  // Whole anyway, infinite or NaN: no integer could hold it.
  if (!(magnitude < 1e15)) return lots;
  const double whole = static_cast<double>(static_cast<long long>(rounding == 1 ? magnitude + 0.5 : magnitude));
  return (units < 0.0 ? -whole : whole) * lot;
}

// What each action asks for, in lots. Actions: short full, half, small; hold; long small, half, full; half flat;
// full flat. Half flat truncates to whole lots.
extern "C" __global__ void action_target(const int* __restrict__ action, const double* __restrict__ position,
                                         real* __restrict__ target, double small, double half, double full, double lot,
                                         int accounts) {
  FH_FOR_ELEMENTS(i, accounts) {
    const int a = action[i];
    const double held = position[i];
    const double size = (a == 0 || a == 6) ? full : (a == 1 || a == 5) ? half : small;
    double t = a < 3 ? -size : size;
    if (a == 3) t = held;
    if (a == 7) t = round_lots(0.5 * held, lot, 2);
    if (a == 8) t = 0.0;
    target[i] = real(t);
  }
}

// Which actions mean something, [accounts, 9]: a flat account has nothing to close.
extern "C" __global__ void action_mask(const double* __restrict__ position, unsigned char* __restrict__ mask,
                                       int accounts) {
  FH_FOR_ELEMENTS(i, accounts) {
    for (int a = 0; a < 9; ++a) mask[i * 9 + a] = a >= 7 && position[i] == 0.0 ? 0 : 1;
  }
}

extern "C" __global__ void account_step(
    const int* __restrict__ bid_price, const int* __restrict__ ask_price, const int* __restrict__ bid_size,
    const int* __restrict__ ask_size, const int* __restrict__ mark2, const int* __restrict__ next_row,
    const unsigned char* __restrict__ tradable, const unsigned char* __restrict__ row_end,
    const int* __restrict__ starts, const int* __restrict__ action, const real* __restrict__ sized,
    int* __restrict__ row, double* __restrict__ position, double* __restrict__ entry_price, double* __restrict__ cash,
    int* __restrict__ age, int* __restrict__ steps_left, unsigned char* __restrict__ ended, double* __restrict__ pnl,
    double* __restrict__ fees, long long* __restrict__ trades, long long* __restrict__ wins,
    long long* __restrict__ episodes, const unsigned long long* __restrict__ step, real* __restrict__ reward,
    unsigned char* __restrict__ done, unsigned char* __restrict__ valid, int* __restrict__ fill_row, double* __restrict__ fill_lots,
    double* __restrict__ fill_value, double* __restrict__ equity, double tick_value, double fee, double reward_scale,
    double lot, double ruin, int rounding, int start_count, int episode_steps, unsigned key0, unsigned key1,
    unsigned salt, int accounts) {
  FH_FOR_ELEMENTS(i, accounts) {
    const int at = row[i];
    const bool closing = ended[i] != RUNNING;
    // Where there is no later row the account was closed out on the way here: nothing is left to trade.
    const int to = next_row[at] < 0 ? at : next_row[at];
    const int a = action[i];
    const int last_row = closing ? 0 : row_end[to];

    const double held = position[i], before = cash[i] + held * 0.5 * mark2[at] * tick_value;
    // Hold and the two flat actions are never scaled by the sizer.
    double wanted = a == 3 ? held : a == 7 ? round_lots(0.5 * held, lot, 2) : a == 8 ? 0.0 : round_lots(sized[i], lot, rounding);
    const bool waits = closing && held != 0.0 && !tradable[to];
    if (closing || last_row) wanted = waits ? held : 0.0;

    const double change = wanted - held;
    const long long level0 = static_cast<long long>(to) * LEVELS;
    const int* price = change > 0.0 ? ask_price + level0 : bid_price + level0;
    const int* size = change > 0.0 ? ask_size + level0 : bid_size + level0;
    const double lots = change < 0.0 ? -change : change;
    Fill fill = {0.0, 0.0};
    if (tradable[to] && lots > 0.0) fill = walk(price, size, lots);
    if ((closing || last_row) && fill.lots < lots) {
      fill.value += (lots - fill.lots) * deepest(price, mark2[to] / 2);
      fill.lots = lots;
    }
    const double signed_lots = change > 0.0 ? fill.lots : -fill.lots;
    const double signed_value = change > 0.0 ? fill.value : -fill.value;
    const double paid = fee * fill.lots;
    const double now = held + signed_lots;
    const double cash_now = cash[i] - signed_value * tick_value - paid;

    // A flip is a close and an open: the part that closes realises against the old entry price, the rest enters
    // at the price of this fill.
    const bool closes = held * signed_lots < 0.0;
    const double held_size = held < 0.0 ? -held : held;
    const double closed = closes ? (fill.lots < held_size ? fill.lots : held_size) : 0.0;
    const double average = fill.lots > 0.0 ? fill.value / fill.lots : 0.0;
    const double realised = closed * (held > 0.0 ? average - entry_price[i] : entry_price[i] - average) * tick_value;
    double entry = entry_price[i];
    if (fill.lots > 0.0) {
      if (now == 0.0) entry = 0.0;
      else if (held * now <= 0.0) entry = average;
      else if (!closes) entry = (entry * held_size + fill.value) / (held_size + fill.lots);
    }
    trades[i] += closed > 0.0 ? 1 : 0;
    wins[i] += closed > 0.0 && realised > 2.0 * fee * closed ? 1 : 0;

    const double marked = cash_now + now * 0.5 * mark2[to] * tick_value;
    const double gain = marked - before;
    pnl[i] += gain;
    fees[i] += paid;
    fill_row[i] = to;
    fill_lots[i] = signed_lots;
    fill_value[i] = signed_value;
    equity[i] = marked;
    valid[i] = closing ? 0 : 1;
    reward[i] = closing ? real(0) : real(gain / tick_value * reward_scale);

    unsigned char end = RUNNING;
    if (!closing) {
      if (steps_left[i] <= 1 || last_row == ENDS_DATA) end = TRUNCATED;
      if (last_row == ENDS_SESSION || marked <= ruin) end = TERMINATED;
    }
    done[i] = end;
    episodes[i] += end != RUNNING ? 1 : 0;

    // Where the next episode starts: counter (account, salt, step), so it depends on nothing else.
    const fh_random4 draw = fh_philox(key0, key1, static_cast<unsigned>(i), salt, static_cast<unsigned>(*step),
                                      static_cast<unsigned>(*step >> 32));
    const int fresh = starts[(static_cast<unsigned long long>(draw.x) * static_cast<unsigned>(start_count)) >> 32];
    const bool anew = closing && !waits;
    row[i] = anew ? fresh : to;
    position[i] = anew ? 0.0 : now;
    entry_price[i] = anew ? 0.0 : entry;
    cash[i] = anew ? 0.0 : cash_now;
    age[i] = anew || held * now <= 0.0 ? 0 : age[i] + 1;
    steps_left[i] = anew ? episode_steps : closing ? steps_left[i] : steps_left[i] - 1;
    ended[i] = waits ? ended[i] : end;
  }
}
