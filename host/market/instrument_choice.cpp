#include "market/instrument_choice.hpp"

#include <charconv>
#include <foxhunt/error.hpp>

namespace foxhunt::market {
namespace {

constexpr size_t kListed = 20;
constexpr size_t kRemembered = 4096;  // a damaged file may show any number of them

}  // namespace

std::string InstrumentChoice::symbol(uint32_t id) const {
  const auto name = reader_.metadata().names.find(id);
  return name == reader_.metadata().names.end() ? std::to_string(id) : name->second;
}

InstrumentChoice::InstrumentChoice(const DbnReader& reader, const std::string& asked)
    : reader_(reader), asked_(asked) {
  if (asked.empty()) return;
  for (const auto& [id, name] : reader.metadata().names)
    if (name == asked) allowed_.insert(id);
  if (!allowed_.empty()) return;
  uint32_t id = 0;
  const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), id);
  if (error == std::errc{} && end == asked.data() + asked.size()) {
    allowed_.insert(id);
    return;
  }
  std::string list;
  size_t n = 0;
  for (const auto& [number, name] : reader.metadata().names)
    if (++n <= kListed) list += (list.empty() ? "" : ", ") + name + " (" + std::to_string(number) + ")";
  throw Error("'" + reader.path() + "' has no instrument " + asked + "; it names " +
              (list.empty() ? "none: give its number" : list) +
              (n > kListed ? " and " + std::to_string(n - kListed) + " more" : ""));
}

bool InstrumentChoice::wants(const DbnRecord& record, bool decides) {
  const uint32_t id = record.instrument();
  if (decides && seen_.size() < kRemembered) seen_.insert(id);
  if (!allowed_.empty() && !allowed_.contains(id)) return false;
  if (!chosen_ && decides) chosen_ = id;
  return chosen_ ? id == *chosen_ : !allowed_.empty();
}

void InstrumentChoice::finish() const {
  std::string list;
  size_t n = 0;
  for (const uint32_t id : seen_) {
    if (chosen_ && !allowed_.empty() && !allowed_.contains(id)) continue;
    if (++n <= kListed) list += (list.empty() ? "" : ", ") + symbol(id) + " (" + std::to_string(id) + ")";
  }
  if (n > kListed) list += " and " + std::to_string(n - kListed) + " more";
  if (!chosen_ && !seen_.empty())
    throw Error("'" + reader_.path() + "' has no book records of instrument " + asked_ + "; it has them of " +
                list);
  if (n > 1)
    throw Error("'" + reader_.path() + "' holds " +
                (allowed_.empty() ? "several instruments: "
                                  : asked_ + " under several numbers, as contracts roll: ") +
                list + ". Choose one with --instrument");
}

}  // namespace foxhunt::market
