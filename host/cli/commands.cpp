#include "commands.hpp"

#include "../config/config.hpp"
#include "../plugins/registry.hpp"
#include "../trainer/run.hpp"

namespace foxhunt::cli {

int run(const std::vector<std::string>& arguments) {
  config::CommandLine line = config::take_settings({arguments.begin() + 2, arguments.end()});
  plugins::Registry registry(plugins::search_path({}));
  std::vector<std::filesystem::path> files(line.rest.begin(), line.rest.end());
  const config::Config c = config::load(files, line.settings, [&](config::Kind k, const std::string& p) { return registry.settings(k, p); });
  trainer::TrainRequest r{c, registry, arguments};
  return static_cast<int>(trainer::train(r));
}

}  // namespace foxhunt::cli
