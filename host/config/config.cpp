#include "config.hpp"

#include <algorithm>
#include <stdexcept>

#include "common/text.hpp"

namespace foxhunt::config {

bool Config::has(std::string_view key) const { return index_.find(key) != index_.end(); }

const Config::Value& Config::find(std::string_view key) const {
  const auto entry = index_.find(key);
  if (entry == index_.end()) throw std::logic_error(foxhunt::text("there is no setting '", key, "'"));
  return values_[entry->second];
}

const Config::Value& Config::find(std::string_view key, std::initializer_list<Type> types) const {
  const Value& value = find(key);
  if (std::find(types.begin(), types.end(), value.setting.type) == types.end())
    throw std::logic_error(foxhunt::text("the setting '", key, "' is of another type"));
  return value;
}

const std::string& Config::text(std::string_view key) const {
  return find(key, {Type::text, Type::choice}).text;
}
std::int64_t Config::integer(std::string_view key) const {
  return to_integer(find(key, {Type::integer}).text).value();
}
double Config::real(std::string_view key) const { return to_real(find(key, {Type::real}).text).value(); }
bool Config::flag(std::string_view key) const { return find(key, {Type::flag}).text == "true"; }
std::vector<std::string> Config::list(std::string_view key) const {
  return words(find(key, {Type::list}).text);
}
std::filesystem::path Config::path(std::string_view key) const { return find(key, {Type::file}).text; }

std::vector<std::filesystem::path> Config::runs(std::string_view key) const {
  std::vector<std::filesystem::path> folders;
  for (const std::string& word : words(find(key, {Type::runs}).text))
    folders.emplace_back(word.substr(0, word.rfind(':')));
  return folders;
}

double Config::number(std::string_view key) const {
  const Value& value = find(key, {Type::integer, Type::real, Type::flag, Type::choice});
  if (value.setting.type == Type::flag) return flag(key) ? 1 : 0;
  if (value.setting.type != Type::choice) return to_real(value.text).value();
  const auto& choices = value.setting.choices;
  return static_cast<double>(std::find(choices.begin(), choices.end(), value.text) - choices.begin());
}

bool Config::is_set(std::string_view key) const { return find(key).origin.name != "default"; }
const Origin& Config::origin(std::string_view key) const { return find(key).origin; }
Config::Section Config::section(std::string_view prefix) const { return Section(*this, prefix); }

std::vector<GateSettings> Config::gates() const {
  std::vector<GateSettings> gates;
  for (const Value& value : values_) {
    // The first field of a gate is its metric: one hit a gate.
    if (!value.setting.key.starts_with("gate.") || !value.setting.key.ends_with(".metric")) continue;
    const std::string prefix = value.setting.key.substr(0, value.setting.key.size() - 7);
    const Section fields = section(prefix);
    if (fields.text("action") == "off") continue;
    gates.push_back({.name = prefix.substr(5),
                     .metric = fields.text("metric"),
                     .op = fields.text("op"),
                     .value = fields.text("value"),
                     .from = fields.integer("from"),
                     .to = fields.integer("to"),
                     .action = fields.text("action"),
                     .baseline = fields.path("baseline").string(),
                     .sustained = fields.integer("for"),
                     .origin = value.origin.str()});
  }
  return gates;
}

}  // namespace foxhunt::config
