#pragma once
#include <initializer_list>

#include "settings.hpp"

/// Short forms for writing rows of the table. Order: key, default, [least, most,] [unit,] help, source.
namespace foxhunt::config::row {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

inline Setting text(std::string key, std::string initial, std::string help, std::string source) {
  return {.key = key, .type = Type::text, .initial = initial, .help = help, .source = source};
}
inline Setting list(std::string key, std::string initial, std::string help, std::string source) {
  return {.key = key, .type = Type::list, .initial = initial, .help = help, .source = source};
}
inline Setting file(std::string key, std::string help, std::string source) {
  return {.key = key, .type = Type::file, .help = help, .source = source};
}
inline Setting flag(std::string key, bool initial, std::string help, std::string source) {
  return {
      .key = key, .type = Type::flag, .initial = initial ? "true" : "false", .help = help, .source = source};
}
inline Setting choice(std::string key, std::initializer_list<std::string> choices, std::string help,
                      std::string source) {  // the first one is the default
  return {.key = key,
          .type = Type::choice,
          .initial = *choices.begin(),
          .choices = choices,
          .help = help,
          .source = source};
}
inline Setting integer(std::string key, std::string initial, double least, double most, std::string unit,
                       std::string help, std::string source) {
  return {.key = key,
          .type = Type::integer,
          .initial = initial,
          .minimum = least,
          .maximum = most,
          .unit = unit,
          .help = help,
          .source = source};
}
inline Setting real(std::string key, std::string initial, double least, double most, std::string unit,
                    std::string help, std::string source) {
  return {.key = key,
          .type = Type::real,
          .initial = initial,
          .minimum = least,
          .maximum = most,
          .unit = unit,
          .help = help,
          .source = source};
}
/// The setting says how the work is done, not what comes out.
inline Setting operation(Setting setting) {
  setting.effect = Effect::operation;
  return setting;
}

}  // namespace foxhunt::config::row

namespace foxhunt::config {

std::vector<Setting> run_table();    ///< trainer, env, checkpoint, diag, eval
std::vector<Setting> agent_table();  ///< encoder, policy, q, replay, shaping, sizing

}  // namespace foxhunt::config
