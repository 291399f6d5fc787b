// The one place that sees Boost.Program_options.
#include <boost/program_options.hpp>
#include <foxhunt/error.hpp>
#include <sstream>

#include "common/text.hpp"
#include "layers.hpp"
#include "settings.hpp"

namespace foxhunt::config {

namespace po = boost::program_options;

namespace {

/// What Boost's parser sees of a line.
std::string_view without_comment(std::string_view line) { return trim(line.substr(0, line.find('#'))); }

bool is_section(std::string_view line) {
  return line.size() >= 2 && line.front() == '[' && line.back() == ']';
}

std::vector<std::string_view> lines_of(std::string_view content) {
  std::vector<std::string_view> lines;
  while (!content.empty()) {
    const auto end = content.find('\n');
    lines.push_back(without_comment(content.substr(0, end)));
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
  }
  return lines;
}

}  // namespace

namespace detail {

Layer parse_ini(const std::string& content, const Origin& origin) {
  const auto at = [&](std::size_t line) {
    Origin place = origin;
    place.line = static_cast<int>(line) + 1;
    return place;
  };
  const std::vector<std::string_view> lines = lines_of(content);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (is_section(lines[i]) && trim(lines[i].substr(1, lines[i].size() - 2)).empty())
      throw Error(text(at(i).str(), ": a section without a name; expected [name]"));

  std::vector<po::option> options;
  try {
    std::istringstream stream(content);
    options = po::parse_config_file(stream, po::options_description(), /*allow_unregistered=*/true).options;
  } catch (const po::error&) {
    // Boost stops at the first line that is neither a section nor an assignment, but does not number lines.
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (!lines[i].empty() && !is_section(lines[i]) && lines[i].find('=') == std::string_view::npos)
        throw Error(text(at(i).str(), ": expected `key = value`, `[section]` or `# comment`, got '",
                         shown(lines[i]), "'"));
    throw;
  }

  // Boost gives one option per line that is neither empty nor a section, in order: that is its number.
  Layer layer;
  std::size_t line = 0;
  for (const po::option& option : options) {
    while (lines[line].empty() || is_section(lines[line])) ++line;
    layer.push_back({option.string_key, option.value.empty() ? "" : option.value.front(), at(line++)});
  }
  return layer;
}

}  // namespace detail

CommandLine take_settings(const std::vector<std::string>& arguments) {
  CommandLine result;
  // Takes one word, or a setting and its value, from the front; everything that is no setting stays as it is.
  const auto take = [&](std::vector<std::string>& words) {
    const std::string word = words.front();
    words.erase(words.begin());
    const auto equals = word.find('=');
    const std::string key =
        word.starts_with("--") ? word.substr(2, equals == std::string::npos ? equals : equals - 2) : "";
    po::option option;
    if (key.find('.') == std::string::npos && !is_top_level(key)) {
      option.position_key = 0;
      option.value = {word};
      return std::vector{option};
    }
    option.string_key = key;
    if (equals != std::string::npos) {
      option.value = {word.substr(equals + 1)};
    } else if (!words.empty() && !words.front().starts_with("--")) {
      option.value = {words.front()};
      words.erase(words.begin());
    } else {
      throw Error(text("command line: --", shown(key), " has no value; write --", shown(key), " VALUE or --",
                       shown(key), "=VALUE"));
    }
    return std::vector{option};
  };
  const po::parsed_options parsed = po::command_line_parser(arguments)
                                        .options(po::options_description())
                                        .extra_style_parser(take)
                                        .allow_unregistered()
                                        .run();
  for (const po::option& option : parsed.options) {
    if (option.string_key.empty()) {
      result.rest.push_back(option.value.front());
    } else {
      result.settings.push_back({option.string_key, option.value.front(), {.name = "command line"}});
    }
  }
  return result;
}

}  // namespace foxhunt::config
