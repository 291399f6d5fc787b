#pragma once
#include <foxhunt/abi.h>

#include <string>
#include <string_view>

#include "error.hpp"

/// What a plugin's options are made of: `static constexpr std::array options = {option::integer(...), ...}`.
/// Ranges are inclusive; the program checks a value before the plugin sees it.
namespace foxhunt::option {

constexpr fh_option integer(const char* name, int64_t standard, int64_t minimum, int64_t maximum,
                            const char* help) {
  return {name,
          help,
          nullptr,
          FH_OPTION_INT,
          0,
          static_cast<double>(standard),
          static_cast<double>(minimum),
          static_cast<double>(maximum)};
}
constexpr fh_option real(const char* name, double standard, double minimum, double maximum,
                         const char* help) {
  return {name, help, nullptr, FH_OPTION_REAL, 0, standard, minimum, maximum};
}
constexpr fh_option boolean(const char* name, bool standard, const char* help) {
  return {name, help, nullptr, FH_OPTION_BOOL, 0, standard ? 1.0 : 0.0, 0, 1};
}
/// `choices`: "a|b|c". A default that is not among them is a compile error.
consteval fh_option choice(const char* name, const char* choices, std::string_view standard,
                           const char* help) {
  const std::string_view all = choices;
  uint32_t index = 0, found = UINT32_MAX;
  for (size_t begin = 0; begin <= all.size(); ++index) {
    size_t end = all.find('|', begin);
    if (end == std::string_view::npos) end = all.size();
    if (all.substr(begin, end - begin) == standard) found = index;
    begin = end + 1;
  }
  if (found == UINT32_MAX) throw "the default is not one of the choices";
  return {name,    help,
          choices, FH_OPTION_CHOICE,
          found,   static_cast<double>(found),
          0,       static_cast<double>(index - 1)};
}

}  // namespace foxhunt::option

namespace foxhunt {

/// What an instance is made from. Options are asked for by name; another name or type than was declared is an
/// Error that says so.
class Create {
 public:
  Create(const fh_create& create, const fh_option* options, uint32_t count)
      : create_(create), options_(options), count_(count) {
    if (create.option_count != count)
      throw Error("the program gave " + std::to_string(create.option_count) + " option values, " +
                  std::to_string(count) + " are declared");
  }

  int64_t hidden() const { return create_.hidden; }    ///< H: width of h (0 for shapers and sizers)
  int64_t actions() const { return create_.actions; }  ///< N
  double gamma() const { return create_.gamma; }       ///< discount of one step

  int64_t integer(std::string_view name) const { return static_cast<int64_t>(value(name, FH_OPTION_INT)); }
  double real(std::string_view name) const { return value(name, FH_OPTION_REAL); }
  bool boolean(std::string_view name) const { return value(name, FH_OPTION_BOOL) != 0; }
  /// The choice by its position in the list: `static_cast<Selection>(create.choice("selection"))`.
  int choice(std::string_view name) const { return static_cast<int>(value(name, FH_OPTION_CHOICE)); }

 private:
  double value(std::string_view name, uint32_t type) const {
    for (uint32_t i = 0; i < count_; ++i) {
      if (name != options_[i].name) continue;
      if (options_[i].type != type)
        throw Error("option '" + std::string(name) + "' is read as another type than it is declared with");
      return create_.options[i].number;
    }
    throw Error("option '" + std::string(name) + "' is read, but not declared");
  }

  const fh_create& create_;
  const fh_option* options_;
  uint32_t count_;
};

}  // namespace foxhunt
