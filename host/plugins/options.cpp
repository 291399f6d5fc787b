#include <foxhunt/error.hpp>

#include "../common/text.hpp"
#include "../config/config.hpp"
#include "registry.hpp"

namespace foxhunt::plugins {
namespace {

fh_kind kind_of(config::Kind kind) {
  switch (kind) {
    case config::Kind::q_head:
      return FH_Q_HEAD;
    case config::Kind::reward_shaper:
      return FH_REWARD_SHAPER;
    case config::Kind::position_sizer:
      return FH_POSITION_SIZER;
  }
  throw std::logic_error("unknown kind of plugin");
}

config::Setting setting_of(const fh_option& o, const std::string& source) {
  config::Setting s;
  s.key = o.name;
  s.help = o.help;
  s.source = source;
  s.minimum = o.minimum;
  s.maximum = o.maximum;
  switch (o.type) {
    case FH_OPTION_INT:
      s.type = config::Type::integer;
      s.initial = text(static_cast<int64_t>(o.default_value));
      break;
    case FH_OPTION_REAL:
      s.type = config::Type::real;
      s.initial = text(o.default_value);
      break;
    case FH_OPTION_BOOL:
      s.type = config::Type::flag;
      s.initial = text(o.default_value != 0);
      break;
    default:
      s.type = config::Type::choice;
      s.choices = choices_of(o);
      s.initial = s.choices[o.default_choice];
  }
  return s;
}

std::vector<config::Setting> settings_of(const Plugin& plugin) {
  std::vector<config::Setting> result;
  for (const fh_option& o : plugin.options()) result.push_back(setting_of(o, plugin.label()));
  return result;
}

OptionValues values_of(const Plugin& plugin, const config::Config::Section& section) {
  OptionValues values;
  for (const fh_option& o : plugin.options()) values.push_back({section.number(o.name)});
  return values;
}

}  // namespace

OptionValues default_values(const Plugin& plugin) {
  OptionValues values;
  for (const fh_option& o : plugin.options())
    values.push_back({o.type == FH_OPTION_CHOICE ? o.default_choice : o.default_value});
  return values;
}

void set_option(OptionValues& values, const Plugin& plugin, std::string_view option, std::string_view value) {
  const std::vector<config::Setting> settings = settings_of(plugin);
  std::vector<std::string> names;
  for (size_t i = 0; i < settings.size(); ++i) {
    const config::Setting& s = settings[i];
    names.push_back(s.key);
    if (s.key != option) continue;
    std::string canonical;
    try {
      canonical = config::canonical(s, value, {});
    } catch (const Error& e) {
      throw Error(text("option '", option, "' of ", plugin.label(), ": ", e.what()));
    }
    double number = 0;
    if (s.type == config::Type::flag) {
      number = canonical == "true";
    } else if (s.type == config::Type::choice) {
      while (s.choices[static_cast<size_t>(number)] != canonical) ++number;
    } else {
      number = to_real(canonical).value();
    }
    values.at(i).number = number;
    return;
  }
  const auto near = nearest(option, names);
  throw Error(text(plugin.label(), " has no option '", shown(option), "'",
                   near ? text("; did you mean '", *near, "'?") : text("; it has: ", join(names, ", "))));
}

std::vector<config::Setting> Registry::settings(config::Kind kind, const std::string& plugin) {
  return settings_of(open(kind_of(kind), plugin));
}

QHeadInstance Registry::q_head(const config::Config& config, const config::HeadInstance& head, int64_t hidden,
                               int64_t actions, double gamma) {
  const Plugin& plugin = open(FH_Q_HEAD, head.plugin);
  return {plugin, head.name, {hidden, actions, gamma}, values_of(plugin, config.section(head.name))};
}

RewardShaperInstance Registry::reward_shaper(const config::Config& config, double gamma) {
  const Plugin& plugin = open(FH_REWARD_SHAPER, config.text("reward_shaping.plugin"));
  return {plugin, "reward_shaping", {0, 0, gamma}, values_of(plugin, config.section("reward_shaping"))};
}

PositionSizerInstance Registry::position_sizer(const config::Config& config, int64_t actions, double gamma) {
  const Plugin& plugin = open(FH_POSITION_SIZER, config.text("position_sizing.plugin"));
  return {
      plugin, "position_sizing", {0, actions, gamma}, values_of(plugin, config.section("position_sizing"))};
}

}  // namespace foxhunt::plugins
