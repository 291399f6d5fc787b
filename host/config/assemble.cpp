#include <algorithm>
#include <foxhunt/error.hpp>
#include <optional>
#include <set>

#include "common/text.hpp"
#include "config.hpp"

namespace foxhunt::config {

namespace {

Error at(const Origin& origin, std::string_view key, std::string_view what) {
  return Error(text(origin.str(), ": ", shown(key), ": ", what));
}

/// What layers say together: the last assignment of each key.
using Merged = std::map<std::string, Assignment, std::less<>>;

/// Runs `work`, naming in any Error the place where `key` was set.
template <class Work>
auto naming(const Merged& merged, const std::string& key, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    const auto set = merged.find(key);
    throw at(set == merged.end() ? Origin{.name = "default"} : set->second.origin, key, error.what());
  }
}

const std::string& chosen(const Merged& merged, const std::string& key) {
  const auto set = merged.find(key);
  if (set != merged.end()) return set->second.value;
  return std::find_if(table().begin(), table().end(), [&](const Setting& row) { return row.key == key; })
      ->initial;
}

/// Name of the gate in "gate.NAME.FIELD".
std::optional<std::string> gate_of(const std::string& key) {
  const auto dot = key.find('.', 5);
  if (!key.starts_with("gate.") || dot == std::string::npos) return std::nullopt;
  std::string name = key.substr(5, dot - 5);
  return is_identifier(name) ? std::optional(name) : std::nullopt;
}

/// Every setting there is once heads, plugins and gates are chosen, in the order of `Config::resolved`.
class Schema {
 public:
  Schema(const Merged& merged, const PluginOptions& plugin_options) {
    const auto add_plugin = [&](Kind kind, const std::string& section, const std::string& plugin,
                                const std::string& key) {
      naming(merged, key, [&] {
        for (Setting& option : plugin_options(kind, plugin)) {
          option.key = text(section, '.', option.key);
          if (!add(option))
            throw Error(
                text("plugin '", plugin, "' has an option that the program needs itself: ", option.key));
        }
      });
    };
    for (const Setting& row : table()) add(row);
    for (const auto& [kind, section] :
         {std::pair{Kind::reward_shaper, "reward_shaping"}, {Kind::position_sizer, "position_sizing"}}) {
      const std::string key = text(section, ".plugin"), plugin = chosen(merged, key);
      add_plugin(kind, section, plugin, key);
    }
    const auto heads = naming(merged, "heads", [&] { return parse_heads(chosen(merged, "heads")); });
    for (const HeadInstance& head : heads) add_plugin(Kind::q_head, head.name, head.plugin, "heads");
    std::vector<std::string> gates;
    for (const Layer* layer : {&builtin_gates()})
      for (const Assignment& assignment : *layer) gates.push_back(*gate_of(assignment.key));
    for (const auto& [key, assignment] : merged)
      if (const auto gate = gate_of(key)) gates.push_back(*gate);
    for (const std::string& gate : gates)
      for (Setting field : gate_table()) {
        field.key = text("gate.", gate, '.', field.key);
        add(field);
      }
    // Options of shaper and sizer stand with their sections, wherever they were added.
    std::stable_sort(settings_.begin(), settings_.end(),
                     [&](const Setting& a, const Setting& b) { return rank(a) < rank(b); });
  }

  bool has(const std::string& key) const { return keys_.count(key) != 0; }
  const std::vector<Setting>& settings() const { return settings_; }
  std::vector<std::string> keys() const { return {keys_.begin(), keys_.end()}; }

 private:
  static std::string section_of(const Setting& setting) {
    const auto dot = setting.key.rfind('.');
    return dot == std::string::npos ? "" : setting.key.substr(0, dot);
  }
  bool add(const Setting& setting) {
    if (!keys_.insert(setting.key).second) return false;
    ranks_.try_emplace(section_of(setting), ranks_.size());
    settings_.push_back(setting);
    return true;
  }
  std::size_t rank(const Setting& setting) const { return ranks_.at(section_of(setting)); }

  std::vector<Setting> settings_;
  std::set<std::string> keys_;
  std::map<std::string, std::size_t> ranks_;  ///< of sections, by first use
};

Error unknown(const Assignment& assignment, const Schema& schema) {
  const std::string& key = assignment.key;
  const auto dot = key.find('.');
  const std::string section = key.substr(0, dot),
                    last = dot == std::string::npos ? "" : key.substr(key.rfind('.') + 1);
  std::string hint;
  if (is_top_level(last)) {
    hint = text("; `", last, "` is a top-level key: write it above the first [section]");
  } else if (const auto close = nearest(key, schema.keys())) {
    hint = text("; did you mean '", *close, "'?");
  } else if (dot != std::string::npos && is_identifier(section) && !is_reserved(section)) {
    hint = text("; there is no section [", section, "]: a head's section needs the head in `heads`");
  } else {
    hint = "; `foxhunt train --help` lists all keys";
  }
  std::string what = text(assignment.origin.str(), ": unknown key '", shown(key), "'", hint);
  if (assignment.origin.stored)
    what += " (if another version of the program stored it: resume with that one, whose commit is in provenance.json, or "
            "start from the run's weights with --init-from)";
  return Error(what);
}

/// Of a run that is only looked at.
std::string dropped(const Assignment& assignment) {
  return text(assignment.origin.str(), ": the key '", shown(assignment.key), "' (= ", shown(assignment.value),
              ") is unknown to this version of the program and is left out; results may differ from those of the version "
              "that stored it");
}

/// Why a once known key of `section` is known no more.
std::string replaced(const Assignment& assignment, const Merged& merged) {
  const std::string section = assignment.key.substr(0, assignment.key.find('.'));
  const std::string key =
      section == "reward_shaping" || section == "position_sizing" ? section + ".plugin" : "heads";
  return text(assignment.origin.str(), ": ", assignment.key, " is not used, since ", key, " = ",
              chosen(merged, key), " (", merged.at(key).origin.str(), ")");
}

void check_together(const Config& config) {
  const auto refuse = [&](const char* key, std::string_view what) {
    throw at(config.origin(key), key, what);
  };
  if (config.text("env.source") == "file" && config.path("env.path").empty())
    refuse("env.source", "file needs env.path, a market file made by `foxhunt import` or `foxhunt generate`");
  if (config.text("env.source") != "file" && !config.path("env.path").empty())
    refuse("env.path",
           text("has no meaning with env.source = ", config.text("env.source"), "; set env.source = file"));
  if (config.real("env.split_train") + config.real("env.split_validation") >= 1)
    refuse(config.is_set("env.split_train") ? "env.split_train" : "env.split_validation",
           "env.split_train + env.split_validation must be below 1, the rest is the test split");
  if (config.integer("replay.start") > config.integer("replay.capacity"))
    refuse(config.is_set("replay.start") ? "replay.start" : "replay.capacity",
           text("replay.start (", config.integer("replay.start"), ") is above replay.capacity (",
                config.integer("replay.capacity"), "): the Q heads would never learn"));
}

}  // namespace

Config assemble(const std::vector<Layer>& layers, const PluginOptions& plugin_options, Retired retired) {
  Merged merged;
  std::vector<Merged> up_to;  // what was merged after each layer
  for (const Assignment& assignment : builtin_gates()) merged[assignment.key] = assignment;
  for (const Layer& layer : layers) {
    for (const Assignment& assignment : layer) merged[assignment.key] = assignment;
    up_to.push_back(merged);
  }
  // Without an on-policy update the policy stays as it began: nothing to agree with.
  if (Assignment& action = merged.at("gate.q_pi_agree.action");
      chosen(merged, "policy.epochs") == "0" && action.origin.name == "default")
    action.value = "off";
  const Schema schema(merged, plugin_options);
  std::map<std::string_view, const Setting*> known;
  for (const Setting& setting : schema.settings()) known[setting.key] = &setting;

  Config config;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::optional<Schema> then;  // as things stood with this layer
    bool missing = false;
    for (const Assignment& assignment : layers[i]) {
      if (const auto setting = known.find(assignment.key); setting != known.end()) {
        try {
          canonical(*setting->second, assignment.value, assignment.origin.folder);
        } catch (const Error& error) {
          throw at(assignment.origin, assignment.key, error.what());
        }
        continue;
      }
      if (!then && !missing) {
        try {
          then.emplace(up_to[i], plugin_options);
        } catch (const Error&) {
          missing = true;  // a plugin that is not there, but is not asked for any more either
        }
      }
      if (then && !then->has(assignment.key)) {
        if (!assignment.origin.stored || retired == Retired::refuse) throw unknown(assignment, schema);
        config.warnings_.push_back(dropped(assignment));
        continue;
      }
      config.notes_.push_back(replaced(assignment, merged));
    }
  }

  for (const Setting& setting : schema.settings()) {
    const auto set = merged.find(setting.key);
    const Origin origin = set == merged.end() ? Origin{.name = "default"} : set->second.origin;
    const std::string& value = set == merged.end() ? setting.initial : set->second.value;
    config.index_[setting.key] = config.values_.size();
    config.values_.push_back({setting, canonical(setting, value, origin.folder), origin});
  }
  config.heads_ = parse_heads(chosen(merged, "heads"));
  const auto parse = [&](const char* key, auto parser) {
    return naming(merged, key, [&] { return parser(chosen(merged, key), config.heads_); });
  };
  config.ensemble_ = parse("ensemble", parse_ensemble);
  config.value_baseline_ = parse("value_baseline", parse_value_baseline);
  config.risk_source_ = parse("risk_source", parse_risk_source);
  for (const Config::Value& value : config.values_)
    if (value.setting.key.starts_with("gate.") && value.setting.key.ends_with(".metric") &&
        value.text.empty())
      throw Error(text(value.setting.key, ": is not set; a gate needs the metric that it looks at"));
  check_together(config);
  return config;
}

Config load(const std::vector<std::filesystem::path>& files, const Layer& command_line,
            const PluginOptions& plugin_options) {
  std::vector<Layer> layers = read_layers(files);
  layers.push_back(command_line);
  return assemble(layers, plugin_options);
}

}  // namespace foxhunt::config
