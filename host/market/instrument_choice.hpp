#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "market/dbn_reader.hpp"

namespace foxhunt::market {

/// Which instrument of a DBN file is wanted: the one asked for, or the only one there is.
class InstrumentChoice {
 public:
  /// `asked`: a symbol, a number, or empty. Throws foxhunt::Error for a symbol that the file does not know.
  /// `reader` must outlive this.
  InstrumentChoice(const DbnReader& reader, const std::string& asked);
  /// Whether the record is of the wanted instrument. `decides`: without one asked for, this record may settle
  /// it. From then on other instruments' records throw no error at once, but make finish() throw.
  bool wants(const DbnRecord& record, bool decides);
  /// Throws foxhunt::Error, listing them, if several instruments were there to choose from or the one asked
  /// for was not seen.
  void finish() const;
  std::string symbol(uint32_t id) const;

 private:
  const DbnReader& reader_;
  std::string asked_;
  std::set<uint32_t> allowed_;  // empty: any, the first one decides
  std::optional<uint32_t> chosen_;
  std::set<uint32_t> seen_;
};

}  // namespace foxhunt::market
