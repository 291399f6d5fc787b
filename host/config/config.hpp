#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gate_settings.hpp"
#include "layers.hpp"
#include "roles.hpp"
#include "settings.hpp"

namespace foxhunt::config {

/// Options of a plugin, with keys that are the options' own names; throws Error if there is no such plugin.
using PluginOptions = std::function<std::vector<Setting>(Kind kind, const std::string& plugin)>;

/// How much `Config::resolved` writes.
enum class Detail {
  full,  ///< everything, each setting with help and origin as comments: for the run folder and for people
  result  ///< bare, and only what decides what a run computes (no threads, no iterations …): equal texts mean
          ///< equal runs on equal machines. For checkpoints
};

/// What becomes of a key of a stored layer that this version of the program does not know.
enum class Retired {
  refuse,  ///< an Error: what the run computes may depend on it
  drop     ///< dropped with a warning
};

/// A complete, checked configuration: every setting has a value and remembers where it came from. Asking for
/// a key that does not exist, or as another type, is a fault of the program (std::logic_error).
class Config {
 public:
  struct Value {
    Setting setting;  ///< with the full key
    std::string text;
    Origin origin;
  };

  const std::string& text(std::string_view key) const;  ///< text, choice
  std::int64_t integer(std::string_view key) const;
  double real(std::string_view key) const;
  bool flag(std::string_view key) const;
  std::vector<std::string> list(std::string_view key) const;
  std::filesystem::path path(std::string_view key) const;  ///< absolute, or empty
  /// Run folders of `RUN:pass` words, absolute.
  std::vector<std::filesystem::path> runs(std::string_view key) const;
  /// Integer, real, flag (0, 1) or choice (its index): as a plugin's option table wants it.
  double number(std::string_view key) const;

  bool has(std::string_view key) const;
  /// Written by someone, not the default.
  bool is_set(std::string_view key) const;
  const Origin& origin(std::string_view key) const;

  /// The settings below `prefix.`, under their short keys.
  class Section;
  Section section(std::string_view prefix) const;

  const std::vector<HeadInstance>& heads() const { return heads_; }
  const std::vector<WeightedHead>& ensemble() const { return ensemble_; }
  const ValueBaseline& value_baseline() const { return value_baseline_; }
  const std::string& risk_source() const { return risk_source_; }
  /// Built-in ones first; gates with action = off are left out.
  std::vector<GateSettings> gates() const;

  /// Sentences on values that were dropped since a later layer chose other heads or plugins.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Sentences on keys of a stored layer that this version does not know.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// INI text which read back alone gives the same configuration (Detail::result: the same computation).
  std::string resolved(Detail detail = Detail::full) const;

  /// All settings, in the order of `resolved`.
  const std::vector<Value>& values() const { return values_; }

 private:
  friend Config assemble(const std::vector<Layer>&, const PluginOptions&, Retired);
  const Value& find(std::string_view key) const;
  const Value& find(std::string_view key, std::initializer_list<Type> types) const;

  std::vector<Value> values_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<HeadInstance> heads_;
  std::vector<WeightedHead> ensemble_;
  ValueBaseline value_baseline_;
  std::string risk_source_;
  std::vector<std::string> notes_, warnings_;
};

class Config::Section {
 public:
  Section(const Config& config, std::string_view prefix) : config_(&config), prefix_(prefix) {
    prefix_ += '.';
  }
  const std::string& text(std::string_view key) const { return config_->text(full(key)); }
  std::int64_t integer(std::string_view key) const { return config_->integer(full(key)); }
  double real(std::string_view key) const { return config_->real(full(key)); }
  bool flag(std::string_view key) const { return config_->flag(full(key)); }
  std::vector<std::string> list(std::string_view key) const { return config_->list(full(key)); }
  std::filesystem::path path(std::string_view key) const { return config_->path(full(key)); }
  double number(std::string_view key) const { return config_->number(full(key)); }
  bool has(std::string_view key) const { return config_->has(full(key)); }

 private:
  std::string full(std::string_view key) const { return prefix_ + std::string(key); }
  const Config* config_;  // the Config must outlive its sections
  std::string prefix_;
};

/// Puts layers together, later ones winning, over the defaults; checks every key and value.
/// Every layer has to be right with the heads and plugins chosen up to it. A value that was, but belongs to
/// a head or plugin which a later layer replaced, is dropped with a note: so `--reward_shaping.plugin
/// identity` works on a file that configures another shaper.
/// @throws Error naming key, place, what is expected and, for an unknown key, the nearest known one.
Config assemble(const std::vector<Layer>& layers, const PluginOptions& plugin_options,
                Retired retired = Retired::refuse);

/// Files in order, then the command line's settings.
Config load(const std::vector<std::filesystem::path>& files, const Layer& command_line,
            const PluginOptions& plugin_options);

/// The table of every setting with default, range, unit, meaning and source.
std::string help();
/// The same with the options of the heads, the shaper and the sizer that `config` chose.
std::string help(const Config& config);
/// The same for some settings, such as a plugin's options, each key with `prefix` before it.
std::string help(const std::vector<Setting>& settings, const std::string& prefix);

}  // namespace foxhunt::config
