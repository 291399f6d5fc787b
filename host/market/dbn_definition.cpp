#include "market/dbn_definition.hpp"

#include <foxhunt/error.hpp>
#include <functional>

namespace foxhunt::market {
namespace {

/// Byte offsets of the definition record's fields.
struct Layout {
  size_t tick, multiplier, currency, symbol, symbol_width, asset, asset_width;
};
constexpr Layout kLayouts[] = {{24, 88, 186, 200, 22, 248, 7},    // version 1, 360 bytes
                               {24, 88, 186, 200, 71, 297, 7},    // version 2, 400 bytes
                               {24, 80, 224, 238, 71, 335, 11}};  // version 3, 520 bytes

bool same_terms(const Definition& a, const Definition& b) {
  return a.tick == b.tick && a.multiplier == b.multiplier && a.currency == b.currency;
}

}  // namespace

std::vector<Definition> read_definitions(const std::string& path, const DbnLimits& limits) {
  DbnReader reader(path, limits);
  const Layout& l = kLayouts[reader.metadata().version - 1];
  std::vector<Definition> all;
  while (const auto r = reader.next()) {
    if (r->type() != kTypeDefinition) continue;
    Definition d{r->instrument(),
                 r->text(l.symbol, l.symbol_width),
                 r->text(l.asset, l.asset_width),
                 r->text(l.currency, 4),
                 r->at<int64_t>(l.tick),
                 r->at<int64_t>(l.multiplier)};
    // Venues repeat a definition every day: keep one of each.
    if (!all.empty() && all.back().id == d.id && all.back().symbol == d.symbol && same_terms(all.back(), d))
      continue;
    all.push_back(std::move(d));
  }
  if (all.empty())
    throw Error("'" + path + "' holds no instrument definition (its schema is " +
                schema_name(reader.metadata().schema) + "): give a DBN file of the definition schema");
  return all;
}

Definition choose_definition(const std::vector<Definition>& all, uint32_t id, const std::string& symbol,
                             const std::string& path, std::string& note) {
  const auto starts_with_asset = [&](const Definition& d) {
    // "ES" fits "ESH4" but not "ESGH4": after the asset come one letter for the month and the year.
    if (d.asset.empty() || symbol.size() < d.asset.size() + 2 ||
        symbol.compare(0, d.asset.size(), d.asset) != 0)
      return false;
    return symbol.find_first_not_of("0123456789", d.asset.size() + 1) == std::string::npos;
  };
  const std::function<bool(const Definition&)> rules[] = {
      [&](const Definition& d) { return d.id == id && d.symbol == symbol; },
      [&](const Definition& d) { return d.symbol == symbol; },
      starts_with_asset,
  };
  for (const auto& rule : rules) {
    const Definition* found = nullptr;
    for (const Definition& d : all) {
      if (!rule(d)) continue;
      if (found && !same_terms(*found, d))
        throw Error("'" + path + "' has definitions for " + symbol +
                    " that disagree on tick size, multiplier or currency (" + found->symbol + ", " +
                    d.symbol + "): give the tick size and the multiplier themselves");
      found = found ? found : &d;
    }
    if (!found) continue;
    if (found->symbol != symbol)
      note = "tick size and multiplier of " + symbol + " are taken from the definition of " + found->symbol +
             ", a contract on the same product";
    return *found;
  }
  throw Error("'" + path + "' has no definition for " + symbol + " (instrument " + std::to_string(id) +
              "); it defines " + all.front().symbol +
              (all.size() > 1 ? " and " + std::to_string(all.size() - 1) + " more" : ""));
}

}  // namespace foxhunt::market
