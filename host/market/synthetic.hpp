#pragma once
#include "market/market.hpp"
#include "market/zero_intelligence.hpp"

namespace foxhunt::market {

struct SyntheticOptions {
  ZeroIntelligenceRates rates;
  int64_t rows = int64_t{1} << 17;
  int levels = 10;
  uint32_t order_lots = 1;          ///< lots of the model's unit order
  int64_t warm_up_events = 20'000;  ///< before the first row: the book forgets how it was seeded
  double tick_size = 0.01, multiplier = 100;
  int32_t first_bid = 10'000;  ///< ticks
  uint64_t seed = 1;
};

/// The zero-intelligence book of Cont, Stoikov and Talreja: a row for each event that changes the levels
/// kept. It has its own predictability (queue sizes foretell the next move), and no exact optimum is claimed
/// for it. Same options, same market. Throws foxhunt::Error for impossible options.
Market generate_synthetic(const SyntheticOptions& options);

}  // namespace foxhunt::market
