// The one file of the command line that sees Boost.Program_options.
#include "options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>
#include <foxhunt/error.hpp>

#include "../common/text.hpp"
#include "../config/settings.hpp"
#include "commands.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace po = boost::program_options;

namespace {

std::string long_name(const Option& option) { return option.name.substr(0, option.name.find(',')); }

std::string form(const Option& option) {
  const auto comma = option.name.find(',');
  std::string out = comma == std::string::npos ? "" : text('-', option.name.substr(comma + 1), ", ");
  out += "--" + long_name(option);
  return option.value.empty() ? out : text(out, ' ', option.value);
}

const std::vector<Option>& of_every_command() {
  static const std::vector<Option> options{{"help,h", "", "this text"}};
  return options;
}

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> options = command.options;
  options.insert(options.end(), of_every_command().begin(), of_every_command().end());
  return options;
}

// "trainer.accounts" for "accounts": a setting written without its section.
std::vector<std::string> settings_called(const std::string& name) {
  std::vector<std::string> found;
  for (const config::Setting& s : config::table())
    if (s.key.ends_with("." + name)) found.push_back("--" + s.key);
  return found;
}

std::string unknown(const Command& command, std::string name) {
  name.erase(0, name.find_first_not_of('-'));
  const std::string message = text("`foxhunt ", command.name, "` has no option '", shown(name), "'");
  std::vector<std::string> known;
  for (const Option& o : all_options(command)) known.push_back(long_name(o));
  const std::size_t options = known.size();
  if (command.takes_settings)
    for (const config::Setting& s : config::table()) known.push_back(s.key.substr(s.key.rfind('.') + 1));
  const auto near = nearest(name, known);
  if (!near) return text(message, "; `foxhunt ", command.name, " --help` lists them");
  const bool is_option = std::find(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(options), *near) !=
                         known.begin() + static_cast<std::ptrdiff_t>(options);
  const auto settings = settings_called(*near);
  return text(message, "; did you mean ", is_option || settings.empty() ? "--" + *near : join(settings, " or "), "?");
}

const Option& find(const std::vector<Option>& options, const std::string& name) {
  for (const Option& o : options)
    if (name == long_name(o) || "--" + long_name(o) == name) return o;
  throw std::logic_error("no option '" + name + "'");
}

po::parsed_options parse(const Command& command, const std::vector<Option>& options,
                         const std::vector<std::string>& words) {
  po::options_description description;
  for (const Option& o : options) {
    if (o.value.empty())
      description.add_options()(o.name.c_str(), "");
    else
      description.add_options()(o.name.c_str(), po::value<std::string>(), "");
  }
  try {
    return po::command_line_parser(words)
        .options(description)
        .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
        .run();
  } catch (const po::unknown_option& e) {
    throw Error(unknown(command, e.get_option_name()));
  } catch (const po::invalid_command_line_syntax& e) {
    const Option& o = find(options, e.get_option_name());
    throw Error(o.value.empty() ? text("--", long_name(o), " takes no value")
                                : text("--", long_name(o), " has no value; write ", form(o)));
  } catch (const po::error& e) {
    throw Error(text("`foxhunt ", command.name, "`: ", e.what()));
  }
}

}  // namespace

Arguments::Arguments(const Command& command, const std::vector<std::string>& argv)
    : argv_(argv), command_(command.name) {
  config::CommandLine line = config::take_settings({argv.begin() + std::min<std::ptrdiff_t>(2, std::ssize(argv)), argv.end()});
  settings_ = std::move(line.settings);
  const std::vector<Option> options = all_options(command);
  for (const po::option& o : parse(command, options, line.rest).options) {
    if (o.position_key >= 0) {
      words_.push_back(o.value.empty() ? "" : o.value.front());
      continue;
    }
    std::vector<std::string>& values = given_[long_name(find(options, o.string_key))];
    if (!values.empty() && !find(options, o.string_key).repeatable)
      throw Error(text("--", o.string_key, " is given twice; leave one of them out"));
    values.push_back(o.value.empty() ? "" : o.value.front());
  }
  if (help()) return;
  if (!settings_.empty() && !command.takes_settings)
    throw Error(text("`foxhunt ", command.name, "` takes no settings, got --", shown(settings_.front().key)));
  if (words_.size() < command.least_words)
    throw Error(text("`foxhunt ", command.name, "` needs ", words_.empty() ? "" : "more than that: ",
                     command.words, "; `foxhunt ", command.name, " --help` says more"));
  if (words_.size() > command.most_words)
    throw Error(text("`foxhunt ", command.name, "` takes ", command.most_words ? command.words : "no words",
                     "; '", shown(words_[command.most_words]), "' is one too many"));
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  const auto found = given_.find(option);
  return found == given_.end() ? std::nullopt : std::optional(found->second.back());
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  const auto found = given_.find(option);
  return found == given_.end() ? std::vector<std::string>() : found->second;
}

std::optional<std::int64_t> Arguments::integer(std::string_view option, std::int64_t least, std::int64_t most) const {
  const auto given = value(option);
  if (!given) return std::nullopt;
  const auto number = to_integer(*given);
  if (!number || *number < least || *number > most)
    throw Error(text("--", option, " is '", shown(*given), "', expected an integer from ", least, " to ", most));
  return number;
}

std::optional<double> Arguments::positive(std::string_view option) const {
  const auto given = value(option);
  if (!given) return std::nullopt;
  const auto number = to_real(*given);
  if (!number || !std::isfinite(*number) || *number <= 0)
    throw Error(text("--", option, " is '", shown(*given), "', expected a number above 0"));
  return number;
}

std::string Arguments::required(std::string_view option) const {
  if (const auto given = value(option)) return *given;
  throw Error(text("`foxhunt ", command_, "` needs --", option, "; `foxhunt ", command_, " --help` says more"));
}

std::string options_text(const std::vector<Option>& options) {
  std::vector<std::vector<std::string>> rows;
  for (const auto* list : {&options, &of_every_command()})
    for (const Option& o : *list) rows.push_back({"  " + form(o), o.help + (o.repeatable ? " (repeatable)" : "")});
  return columns(rows);
}

}  // namespace foxhunt::cli
