#include "market/market.hpp"
#include "market/quality.hpp"
#include "market/text.hpp"

namespace foxhunt::market {
namespace {

std::string to_text(const Attribute& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&value)) return shortest(*d);
  return std::get<std::string>(value);
}

}  // namespace

std::string describe(const Market& m) {
  const Instrument& i = m.instrument;
  std::string s = "instrument   " + i.symbol + ", tick " + shortest(i.tick_size) + ", " +
                  shortest(i.multiplier) + " " + i.currency + " a point\n";
  s += "source       " + m.source + ", " + std::to_string(m.levels) + (m.levels == 1 ? " level" : " levels") +
       (m.signal.empty() ? "" : ", with signal") + "\n";
  QualityReport report;
  if (const auto gap = m.attributes.find("quality.gap_ns"); gap != m.attributes.end())
    if (const auto* ns = std::get_if<int64_t>(&gap->second)) report.gap_ns = *ns;
  for (const auto& [name, value] : m.attributes)
    if (name.rfind("quality.note_", 0) == 0) report.notes.push_back(to_text(value));
  assess(m, report);
  s += to_text(report);
  for (const auto& [name, value] : m.attributes)
    if (name.rfind("quality.", 0) != 0) s += "attribute    " + name + " = " + to_text(value) + "\n";
  return s;
}

}  // namespace foxhunt::market
