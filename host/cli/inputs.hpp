#pragma once
#include <filesystem>
#include <foxhunt/checkpoints/reader.hpp>
#include <string>
#include <vector>

#include "../config/config.hpp"
#include "../plugins/registry.hpp"
#include "options.hpp"

/// What several commands begin with.
namespace foxhunt::cli {

/// The options `--plugin-dir` and `--quiet`, for the commands that have them.
Option plugin_dir_option();
Option quiet_option();

/// Plugins on the command's search path. `say`: refused and hidden files are named on the log.
plugins::Registry find_plugins(const Arguments& arguments, bool say = true);

/// Options of plugins for config::assemble; the registry must outlive it.
config::PluginOptions plugin_options(plugins::Registry& registry);

/// `first` (may be empty), then the files, then the command line's settings.
std::vector<config::Layer> layers_of(const std::vector<config::Layer>& first, const std::vector<std::string>& files,
                                     const config::Layer& command_line);
/// What these layers make. Dropped values are named on the log.
config::Config load_config(const std::vector<config::Layer>& first, const std::vector<std::string>& files,
                           const config::Layer& command_line, plugins::Registry& registry,
                           config::Retired retired = config::Retired::refuse);

/// A checkpoint as it is; of a run folder, or of its checkpoints folder, the latest one.
/// @throws foxhunt::Error if there is none.
std::filesystem::path checkpoint_of(const std::filesystem::path& file_or_run);

/// The configuration that a checkpoint carries, with settings over it; a key that this version does not know is left out
/// with a warning.
config::Config config_of_checkpoint(const checkpoints::Reader& file, const config::Layer& settings, plugins::Registry& registry);

/// @throws foxhunt::Error unless `output` may be made: it is no folder, its folder exists, and it is new or
///   `force` is set; and it is none of `inputs`.
void check_output(const std::filesystem::path& output, bool force, const std::vector<std::string>& inputs = {});

}  // namespace foxhunt::cli
