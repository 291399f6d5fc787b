#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "probe/probe.hpp"

namespace foxhunt::probe {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The plugins that come with the program, the examples, and the tests' own.
inline plugins::Registry& registry() {
  static plugins::Registry all({{FOXHUNT_BUILT_PLUGINS, true},
                                {FOXHUNT_TEST_PLUGINS "/linear_q", true},
                                {FOXHUNT_TEST_PLUGINS "/soft_clip", true},
                                {FOXHUNT_TEST_PLUGINS "/kelly", true},
                                {FOXHUNT_TEST_PLUGINS "/noisy_q", true}});
  return all;
}

/// A plugin to be probed; keys of its options as on the command line.
struct Chosen {
  Chosen(fh_kind kind, const std::string& plugin, const Settings& settings = {}, int64_t actions = 3)
      : config(configure(kind, plugin, settings)), subject{registry(), config, kind, actions} {}

  static config::Config configure(fh_kind kind, const std::string& plugin, const Settings& settings) {
    const std::string key = kind == FH_Q_HEAD ? "heads" : kind == FH_REWARD_SHAPER ? "reward_shaping.plugin" : "position_sizing.plugin";
    config::Layer layer{{key, plugin, {.name = "test"}}, {"trainer.device", "cpu", {.name = "test"}}};
    for (const auto& [name, value] : settings) layer.push_back({name, value, {.name = "test"}});
    return config::assemble({layer}, [](config::Kind k, const std::string& p) { return registry().settings(k, p); });
  }

  config::Config config;
  Subject subject;
};

/// Every plugin found with every value of every choice that it offers, the other options at their defaults.
struct Variant {
  fh_kind kind;
  std::string plugin;
  Settings settings;
  std::string name() const {
    return plugin + (settings.empty() ? "" : ", " + settings.front().first + " = " + settings.front().second);
  }
};
inline std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const plugins::Candidate& c : registry().candidates()) {
    const fh_kind kind = c.description.kind;
    const std::string& plugin = c.description.name;
    variants.push_back({kind, plugin, {}});
    const std::string section = kind == FH_Q_HEAD ? plugin : kind == FH_REWARD_SHAPER ? "reward_shaping" : "position_sizing";
    for (const fh_option& o : registry().open(kind, plugin).options())
      if (o.type == FH_OPTION_CHOICE)
        for (const std::string& value : plugins::choices_of(o))
          variants.push_back({kind, plugin, {{section + "." + o.name, value}}});
  }
  return variants;
}

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::path(testing::TempDir()) / "foxhunt-probe-XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error("cannot make a temporary folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// The text of the Error that the call throws; empty if it throws none.
template <class F>
std::string error_of(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace foxhunt::probe
