#pragma once
#include <optional>

#include "market/market.hpp"
#include "market/planted_chain.hpp"

namespace foxhunt::market {

struct PlantedOptions {
  PlantedModel model;
  int64_t rows = int64_t{1} << 17;
  int64_t session_rows = 0;  ///< a session ends after so many rows; 0: one session
  uint64_t seed = 1;
};

/// The market with a known answer. Row t shows a book with a spread of one tick and, in the sizes behind the
/// near levels, the present alpha; then the mid moves by +1 tick with probability (1 + alpha) / 2, else by
/// -1, and alpha takes a step of its chain. One row a second, 10 levels, tick 1, multiplier 1: one tick and
/// lot is one dollar. `signal` holds what the book shows: alpha, or with `hidden` alpha plus normal noise.
/// Same options, same market, on every platform. Throws foxhunt::Error for impossible options.
Market generate_planted(const PlantedOptions& options);

/// What a planted market was generated with; nothing for any other market.
std::optional<PlantedOptions> planted_options(const Market& market);

/// Index of alpha at each of `options.rows` rows, drawn again from the seed: what a hidden market does not show.
std::vector<uint16_t> planted_states(const PlantedOptions& options);

}  // namespace foxhunt::market
