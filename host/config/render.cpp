// Settings as text for people: the resolved config and the table of defaults.
#include <algorithm>

#include "common/text.hpp"
#include "config.hpp"

namespace foxhunt::config {

namespace {

std::string section_of(const std::string& key) {
  const auto dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

std::string short_key(const std::string& key) { return key.substr(key.rfind('.') + 1); }

/// "1 to 65536", "a|b|c"
std::string values_of(const Setting& setting) {
  if (!setting.choices.empty()) return join(setting.choices, "|");
  switch (setting.type) {
    case Type::flag:
      return "true|false";
    case Type::list:
      return "words";
    case Type::file:
      return "path";
    case Type::runs:
      return "RUN:pass";
    case Type::text:
      return "text";
    default:
      break;
  }
  std::string range = expected(setting);  // "an integer from 1 to 4"
  for (const char* start : {"an integer", "a number"})
    if (range.starts_with(start)) range.erase(0, std::string_view(start).size());
  return text(setting.type == Type::integer ? "integer" : "real", range);
}

/// A plugin's words must not end the comment they stand in.
std::string one_line(std::string words) {
  std::replace_if(
      words.begin(), words.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return words;
}

std::string source_of(const Setting& setting) {
  return setting.source.empty() ? "plugin" : one_line(setting.source);
}

void pad(std::string& line, std::size_t column) {
  line.append(line.size() < column ? column - line.size() : 2, ' ');
}

}  // namespace

std::string Config::resolved(Detail detail) const {
  const bool full = detail == Detail::full;
  std::string result;
  if (full)
    result +=
        "# Resolved configuration of foxhunt: every setting, in the form of a config file.\n"
        "# After each '#': meaning [unit] (values; default; source of the default) and, if set, where.\n";
  std::string section;
  for (const Value& value : values_) {
    const Setting& setting = value.setting;
    if (!full && setting.effect == Effect::operation) continue;
    // Gates do not change what is computed, only when it stops.
    if (!full && setting.key.starts_with("gate.")) continue;
    if (section_of(setting.key) != section) {
      section = section_of(setting.key);
      result += foxhunt::text("\n[", section, "]\n");
    }
    std::string line = foxhunt::text(short_key(setting.key), " =", value.text.empty() ? "" : " ", value.text);
    if (full) {
      pad(line, 32);
      line += foxhunt::text("# ", one_line(setting.help),
                            setting.unit.empty() ? "" : foxhunt::text(" [", setting.unit, "]"), " (",
                            values_of(setting), "; ", setting.initial.empty() ? "empty" : setting.initial,
                            "; ", source_of(setting), ")");
      if (value.origin.name != "default") line += foxhunt::text(" <- ", value.origin.str());
    }
    result += line += '\n';
  }
  return result;
}

std::string help(const std::vector<Setting>& settings, const std::string& prefix) {
  std::string result, section = "-";
  for (const Setting& setting : settings) {
    const std::string key = prefix + setting.key;
    if (section_of(key) != section) {
      section = section_of(key);
      result += section.empty() ? "top level (above the first [section])\n" : text("[", section, "]\n");
    }
    std::string line = text("  ", section.empty() ? key : short_key(key));
    pad(line, 24);
    line += setting.initial.empty() ? "(empty)" : setting.initial;
    pad(line, 36);
    line += text(values_of(setting), setting.unit.empty() ? "" : text(" [", setting.unit, "]"));
    pad(line, 72);
    result += text(line, one_line(setting.help), " (", source_of(setting), ")\n");
  }
  return result;
}

namespace {

std::string help_with(const std::vector<Setting>& settings, std::string_view of_plugins) {
  std::string result =
      "Settings, as `key = value` below `[section]` in a config file, or as --section.key value. Columns: "
      "key, default,\n"
      "values [unit], meaning (source of the default; `project`: chosen here, on the planted market).\n\n";
  result += text(help(settings, ""), '\n', of_plugins, "Gates, as many as wanted:\n");
  result += help(gate_table(), "gate.NAME.");
  result += "Built in:";
  for (const Assignment& assignment : builtin_gates())
    result += text(' ', assignment.key, '=', assignment.value);
  result += "\n(gate.q_pi_agree.action=off where policy.epochs = 0: the policy does not learn)";
  return result += '\n';
}

}  // namespace

std::string help() {
  return help_with(table(),
                   "[NAME] for every head NAME in `heads`, [reward_shaping], [position_sizing]: options of the "
                   "plugins, see\n`foxhunt plugins PLUGIN`.\n\n");
}

std::string help(const Config& config) {
  std::vector<Setting> settings;
  for (const Config::Value& value : config.values())
    if (!value.setting.key.starts_with("gate.")) settings.push_back(value.setting);
  return help_with(settings, "");
}

}  // namespace foxhunt::config
