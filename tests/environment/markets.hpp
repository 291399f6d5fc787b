#pragma once
#include <foxhunt/error.hpp>
#include <string>
#include <utility>
#include <vector>

#include "environment/feed.hpp"

namespace foxhunt::environment::test {

/// Price in ticks and size in lots, best first.
using Side = std::vector<std::pair<int32_t, uint32_t>>;

/// A market of `rows` empty, open rows a second apart in one session: tick 0.25, multiplier 50 (12.5 USD a tick).
market::Market empty_market(int64_t rows, int64_t levels);
/// Sets one row's book and the flags that follow from it, with `flags` besides.
void set_book(market::Market& m, int64_t row, const Side& bids, const Side& asks, int flags = 0);
/// One level a side, `size` lots each, at mid +- half a tick where `bid` is the best bid.
market::Market simple_market(const std::vector<int32_t>& bids, uint32_t size = 10);

/// Everything that can happen to a book: sessions of some 60 rows, rows without a side or with none, crossed, halted,
/// closed and doubtful ones, levels of 1 to 4 lots with gaps, steps of time from 0 to 2 ms, prices near `mid` ticks.
market::Market random_market(int64_t rows, int64_t levels, uint64_t seed, int32_t mid = 20000);

/// Scale that leaves every feature as it is.
FeatureScale no_scale(int64_t levels);
Feed feed_of(const market::Market& m, double latency_us = 0, const std::vector<int64_t>& segments = {});

/// The text of the foxhunt::Error that the call throws; empty if it throws none.
template <class F>
std::string error_of(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace foxhunt::environment::test
