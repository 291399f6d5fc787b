#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "market/dbn_reader.hpp"
#include "market/market.hpp"

namespace foxhunt::market {

/// What an instrument definition says of interest here.
struct Definition {
  uint32_t id = 0;
  std::string symbol;      ///< "ESH4"
  std::string asset;       ///< "ES"; may be empty
  std::string currency;    ///< "USD"
  int64_t tick = 0;        ///< 1e-9 price points
  int64_t multiplier = 0;  ///< 1e-9; kUndefinedPrice where the venue gives none
};

/// All definitions of a DBN file of the definition schema, version 1, 2 or 3.
std::vector<Definition> read_definitions(const std::string& path, const DbnLimits& limits = {});

/// The definition for instrument number `id` called `symbol`: by number and symbol, else by symbol, else by a
/// definition of the same product (asset), provided that all of those agree. `note` says so in the last case.
/// Throws foxhunt::Error if there is none or they disagree.
Definition choose_definition(const std::vector<Definition>& all, uint32_t id, const std::string& symbol,
                             const std::string& path, std::string& note);

}  // namespace foxhunt::market
