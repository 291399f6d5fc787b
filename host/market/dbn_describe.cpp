#include <map>

#include "market/dbn_reader.hpp"
#include "market/text.hpp"

namespace foxhunt::market {
namespace {

std::string type_name(uint8_t type) {
  switch (type) {
    case kTypeTrades:
      return "trades";
    case kTypeMbp1:
      return "mbp-1";
    case kTypeMbp10:
      return "mbp-10";
    case kTypeStatus:
      return "status";
    case kTypeDefinition:
      return "definition";
    case kTypeMbo:
      return "mbo";
    default:
      return "type " + std::to_string(type);
  }
}

std::string time_or_none(uint64_t t) { return t > INT64_MAX ? "none" : utc(static_cast<int64_t>(t)); }

std::string list(const std::vector<std::string>& names) {
  std::string s;
  for (size_t i = 0; i < names.size() && i < 20; ++i) s += (i ? ", " : "") + names[i];
  if (names.size() > 20) s += " and " + std::to_string(names.size() - 20) + " more";
  return s.empty() ? "none" : s;
}

}  // namespace

std::string describe_dbn(const std::string& path, const DbnLimits& limits) {
  DbnReader reader(path, limits, true);
  const DbnMetadata& m = reader.metadata();
  std::map<uint8_t, int64_t> types;
  std::map<uint32_t, int64_t> instruments;
  constexpr size_t kRemembered = 4096;  // a damaged file may show any number of them
  int64_t others = 0, lots = 0;
  while (const auto r = reader.next()) {
    ++types[r->type()];
    if (instruments.size() < kRemembered || instruments.contains(r->instrument()))
      ++instruments[r->instrument()];
    else
      ++others;
    if (r->type() == kTypeTrades) lots += r->at<uint32_t>(24);
  }
  std::string s = "format       DBN version " + std::to_string(m.version) + ", schema " +
                  schema_name(m.schema) + "\n" + "dataset      " + m.dataset + "\n" + "asked for    " +
                  time_or_none(m.start) + " to " + time_or_none(m.end) + "\n" + "symbols      " +
                  list(m.symbols) + "\n";
  for (const auto& [type, n] : types) s += "records      " + grouped(n) + " of " + type_name(type) + "\n";
  size_t shown = 0;
  for (const auto& [id, n] : instruments) {
    if (++shown > 20) {
      s += "instruments  and " + std::to_string(instruments.size() - 20) + " more\n";
      break;
    }
    const auto name = m.names.find(id);
    s += "instrument   " + std::to_string(id) + (name == m.names.end() ? "" : " " + name->second) + ", " +
         grouped(n) + " records\n";
  }
  if (others) s += "instruments  further ones with " + grouped(others) + " records\n";
  if (types.contains(kTypeTrades)) s += "traded       " + grouped(lots) + " lots\n";
  if (reader.truncated()) s += "note         the file is cut short\n";
  return s;
}

}  // namespace foxhunt::market
