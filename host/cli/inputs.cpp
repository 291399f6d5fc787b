#include "inputs.hpp"

#include <foxhunt/checkpoints/store.hpp>
#include <foxhunt/error.hpp>

#include "../common/log.hpp"
#include "../common/text.hpp"

namespace foxhunt::cli {

namespace fs = std::filesystem;

Option plugin_dir_option() {
  return {"plugin-dir", "FOLDER", "searched for plugins before FOXHUNT_PLUGIN_PATH and the program's own folder", true};
}

Option quiet_option() { return {"quiet,q", "", "on standard error only warnings and errors"}; }

plugins::Registry find_plugins(const Arguments& arguments, bool say) {
  const std::vector<std::string> folders = arguments.values("plugin-dir");
  plugins::Registry registry(plugins::search_path({folders.begin(), folders.end()}));
  if (say) {
    for (const plugins::Refusal& r : registry.refusals()) log::warning(text("plugin ", r.path, " is refused: ", r.why));
    for (const std::string& note : registry.notes()) log::info(text("plugins: ", note));
  }
  return registry;
}

config::PluginOptions plugin_options(plugins::Registry& registry) {
  return [&registry](config::Kind kind, const std::string& plugin) { return registry.settings(kind, plugin); };
}

std::vector<config::Layer> layers_of(const std::vector<config::Layer>& first, const std::vector<std::string>& files,
                                     const config::Layer& command_line) {
  std::vector<config::Layer> layers = first;
  for (config::Layer& layer : config::read_layers({files.begin(), files.end()})) layers.push_back(std::move(layer));
  layers.push_back(command_line);
  return layers;
}

config::Config load_config(const std::vector<config::Layer>& first, const std::vector<std::string>& files,
                           const config::Layer& command_line, plugins::Registry& registry, config::Retired retired) {
  config::Config config = config::assemble(layers_of(first, files, command_line), plugin_options(registry), retired);
  for (const std::string& warning : config.warnings()) log::warning(warning);
  for (const std::string& note : config.notes()) log::info(note);
  return config;
}

fs::path checkpoint_of(const fs::path& given) {
  std::error_code error;
  if (!fs::exists(given, error)) throw Error(text("there is no ", given, "; expected a checkpoint (.h5) or a run folder"));
  if (!fs::is_directory(given, error)) return given;
  for (const fs::path& folder : {given / "checkpoints", given})
    if (const auto latest = checkpoints::Store(folder).latest()) return *latest;
  throw Error(text("the folder ", given, " holds no checkpoint (checkpoints/latest.h5); expected a run folder or a checkpoint"));
}

config::Config config_of_checkpoint(const checkpoints::Reader& file, const config::Layer& settings, plugins::Registry& registry) {
  const config::Layer then = config::parse_text(file.text("config"), "configuration in " + file.file().string());
  return load_config(config::stored({then}), {}, settings, registry, config::Retired::drop);
}

void check_output(const fs::path& output, bool force, const std::vector<std::string>& inputs) {
  std::error_code error;
  if (output.empty()) throw Error("the output file has an empty name");
  if (fs::is_directory(output, error)) throw Error(text("the output ", output, " is a folder; expected a file name"));
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) throw Error(text("the output's folder ", folder, " does not exist; make it first"));
  if (!fs::exists(output, error)) return;
  for (const std::string& input : inputs)
    if (fs::equivalent(input, output, error)) throw Error(text("the output ", output, " is an input, too"));
  if (!force) throw Error(text("the output ", output, " exists; --force replaces it"));
}

}  // namespace foxhunt::cli
