#include "settings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <foxhunt/error.hpp>
#include <system_error>

#include "common/text.hpp"

namespace foxhunt::config {

namespace {

std::string range(const Setting& setting) {
  const bool low = std::isfinite(setting.minimum), high = std::isfinite(setting.maximum);
  const auto number = [&](double value) {
    // Whole limits without an exponent: 1000000, not 1e+06.
    return std::fabs(value) < 1e15 && value == std::floor(value) ? text(static_cast<std::int64_t>(value))
                                                                 : text(value);
  };
  if (low && high && setting.minimum == setting.maximum) return text(": ", number(setting.minimum), " only");
  if (low && high) return text(" from ", number(setting.minimum), " to ", number(setting.maximum));
  if (low) return text(" of at least ", number(setting.minimum));
  if (high) return text(" of at most ", number(setting.maximum));
  return "";
}

bool in_range(const Setting& setting, double value) {
  return value >= setting.minimum && value <= setting.maximum;
}

std::string canonical_flag(std::string_view value) {
  constexpr std::array<std::string_view, 4> yes{"true", "on", "yes", "1"}, no{"false", "off", "no", "0"};
  if (std::find(yes.begin(), yes.end(), value) != yes.end()) return "true";
  if (std::find(no.begin(), no.end(), value) != no.end()) return "false";
  return "";
}

std::string canonical_path(std::string_view value, const std::filesystem::path& folder) {
  if (value.empty()) return "";
  std::filesystem::path path = folder / std::filesystem::path(value);
  std::error_code error;
  path = std::filesystem::absolute(path, error);
  if (error) throw Error(text("the working folder is gone: ", error.message()));
  return path.lexically_normal().string();
}

/// "RUN:pass …", paths absolute. A path cannot hold blanks here.
std::string canonical_runs(std::string_view value, const std::filesystem::path& folder) {
  constexpr std::string_view kPass = ":pass";
  std::vector<std::string> runs;
  for (const std::string& word : words(value)) {
    if (word.size() <= kPass.size() || !word.ends_with(kPass))
      throw Error(text("expected run folders as RUN:pass, without blanks in them, got '", shown(word), "'"));
    runs.push_back(text(canonical_path(word.substr(0, word.size() - kPass.size()), folder), kPass));
  }
  return join(runs, " ");
}

}  // namespace

std::string expected(const Setting& setting) {
  switch (setting.type) {
    case Type::integer:
      return text("an integer", range(setting));
    case Type::real:
      return text("a number", range(setting));
    case Type::flag:
      return "true or false";
    case Type::choice:
      return text("one of ", join(setting.choices, ", "));
    case Type::file:
      return "a path";
    case Type::runs:
      return "run folders as RUN:pass";
    case Type::list:
    case Type::text:
      break;
  }
  return setting.choices.empty() ? "text" : text("one of ", join(setting.choices, ", "));
}

std::string canonical(const Setting& setting, std::string_view value, const std::filesystem::path& folder) {
  value = trim(value);
  const auto refuse = [&] {
    return Error(text("expected ", expected(setting), ", got '", shown(value), "'"));
  };
  // An INI file could not hold them, so a resolved config would read back as something else.
  if (value.find_first_of(std::string_view("#\n\r\0", 4)) != std::string_view::npos)
    throw Error(text("a value cannot hold '#' or a line break, got '", shown(value), "'"));
  switch (setting.type) {
    case Type::integer: {
      const auto number = to_integer(value);
      if (!number || !in_range(setting, static_cast<double>(*number))) throw refuse();
      return text(*number);
    }
    case Type::real: {
      const auto number = to_real(value);
      if (!number || !std::isfinite(*number) || !in_range(setting, *number)) throw refuse();
      return text(*number);
    }
    case Type::flag: {
      std::string flag = canonical_flag(value);
      if (flag.empty()) throw refuse();
      return flag;
    }
    case Type::choice:
      if (std::find(setting.choices.begin(), setting.choices.end(), value) == setting.choices.end()) {
        const auto close = nearest(value, setting.choices);
        throw Error(text(refuse().what(), close ? text("; did you mean '", *close, "'?") : ""));
      }
      return std::string(value);
    case Type::list:
      return join(words(value), " ");
    case Type::file:
      return canonical_path(value, folder);
    case Type::runs:
      return canonical_runs(value, folder);
    case Type::text:
      break;
  }
  if (setting.accepts && !setting.accepts(value)) throw refuse();
  return std::string(value);
}

}  // namespace foxhunt::config
