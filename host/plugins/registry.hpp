#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "instances.hpp"
#include "plugin.hpp"

namespace foxhunt::config {
class Config;
struct HeadInstance;
struct Setting;
enum class Kind;
}  // namespace foxhunt::config

namespace foxhunt::plugins {

/// A folder that is searched for plugins.
struct Folder {
  std::filesystem::path path;
  bool required = false;  ///< named by the user: it is an error if it does not exist
};

/// The folders of the command line (`--plugin-dir`) in order, then those in FOXHUNT_PLUGIN_PATH (':' between
/// them), then the one that comes with the program; each folder once, where it comes first.
std::vector<Folder> search_path(const std::vector<std::filesystem::path>& command_line);

/// A file that was not taken as a plugin, or could not be opened as one.
struct Refusal {
  std::filesystem::path path;
  std::string name;  ///< as in the descriptor; else the file's name without ".so"
  std::string why;
};

/// All plugins on a search path. Scanning reads their descriptors from the bytes of the files and runs
/// nothing of them; a plugin is opened when it is first asked for.
class Registry {
 public:
  /// Reads every "*.so" of the folders, by name within a folder. Of several plugins of one kind and name the
  /// first wins.
  /// @throws foxhunt::Error if a required folder does not exist.
  explicit Registry(const std::vector<Folder>& folders);

  const std::vector<Candidate>& candidates() const { return candidates_; }
  const std::vector<Refusal>& refusals() const { return refusals_; }
  /// Sentences on plugins that another one of the same name hides.
  const std::vector<std::string>& notes() const { return notes_; }

  /// The candidate of this name, or null.
  const Candidate* find(fh_kind kind, std::string_view name) const;
  /// The plugin, opened and checked.
  /// @throws foxhunt::Error if there is none (with the nearest known names, and what was refused under this
  /// name)
  ///   or if it cannot be opened (again each time it is asked for).
  const Plugin& open(fh_kind kind, std::string_view name);

  /// Options of a plugin as settings whose keys are the options' names; for config::assemble.
  std::vector<config::Setting> settings(config::Kind kind, const std::string& plugin);

  /// Instances as a configuration wants them. hidden: width of h.
  QHeadInstance q_head(const config::Config& config, const config::HeadInstance& head, int64_t hidden,
                       int64_t actions, double gamma);
  RewardShaperInstance reward_shaper(const config::Config& config, double gamma = 1);
  PositionSizerInstance position_sizer(const config::Config& config, int64_t actions, double gamma = 1);

 private:
  void scan(const std::filesystem::path& folder);
  void take(const std::filesystem::path& file);
  std::string missing(fh_kind kind, std::string_view name) const;

  std::vector<Folder> folders_;
  std::vector<Candidate> candidates_;
  std::vector<Refusal> refusals_;
  std::vector<std::string> notes_;
  std::map<const Candidate*, std::unique_ptr<Plugin>> opened_;
  std::map<const Candidate*, std::string> failed_;
};

}  // namespace foxhunt::plugins
