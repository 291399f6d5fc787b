#pragma once
#include <string>
#include <vector>

#include "market/import.hpp"

namespace foxhunt::market {

/// Imports several files of one instrument, in the order of time, as one market: each file is read as import_dbn
/// reads it and begins a session of its own, since its book is built anew. `report` is that of the whole; its
/// counts are sums. Throws foxhunt::Error as import_dbn does, and for files that differ in instrument, tick size,
/// multiplier, currency, levels, dataset or schema, or that overlap in time.
Market import_dbn(const std::vector<std::string>& paths, const ImportOptions& options, QualityReport& report);

}  // namespace foxhunt::market
