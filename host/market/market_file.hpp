#pragma once
#include <string>

#include "market/market.hpp"

namespace foxhunt::market {

inline constexpr const char* kMarketSchema = "foxhunt-market";
inline constexpr int64_t kMarketSchemaVersion = 1;

/// Writes a market as HDF5 (the schema is described in this folder's README). The file appears whole or not
/// at all: it is written under a temporary name in the same folder, synced and renamed; an older file of the
/// name is replaced. The same market gives the same bytes. Throws foxhunt::Error, and leaves nothing behind.
void write_market(const std::string& path, const Market& market);

/// Reads and checks a market file. Throws foxhunt::Error naming what does not fit: another schema or version,
/// a missing column, a wrong type or shape, a damaged chunk, a book that breaks an invariant (see
/// validate()).
Market read_market(const std::string& path);

}  // namespace foxhunt::market
