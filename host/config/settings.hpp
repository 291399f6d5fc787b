#pragma once
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt::config {

enum class Type {
  text,
  integer,  ///< int64
  real,     ///< finite
  flag,     ///< true|false, also on|off, yes|no, 1|0
  choice,   ///< one of `choices`
  list,     ///< words
  runs,     ///< words RUN:pass; RUN is a path, relative as a file's
  file      ///< path; relative to the config file it is written in, on the command line to the working folder
};

/// Whether a setting decides what a run computes, or only how the work is done.
enum class Effect { result, operation };

/// One setting as data: everything that the parser, the help text and the resolved config need to know.
struct Setting {
  std::string key;  ///< "trainer.accounts"; of a plugin's option or a gate's field: the last part alone
  Type type = Type::text;
  std::string initial;                                        ///< default, as text
  double minimum = -std::numeric_limits<double>::infinity();  ///< inclusive; integer and real
  double maximum = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;  ///< of a choice. Of a text: what help shows as its form
  std::string unit;
  std::string help;
  std::string source;  ///< where the default comes from: a paper, "design", the plugin
  Effect effect = Effect::result;
  /// Further condition on the text; null: none. `choices` then says what is accepted.
  bool (*accepts)(std::string_view) = nullptr;
};

/// Kinds of plugins, as config tells them apart.
enum class Kind { q_head, reward_shaper, position_sizer };

/// "an integer from 1 to 65536", "one of fast, parity"
std::string expected(const Setting& setting);

/// The value in its one spelling (numbers by to_chars, flags true|false, absolute paths): equal values have
/// equal texts. @param folder what relative paths are relative to; empty: the working folder.
/// @throws Error "expected …, got …" without naming key or place; the caller knows them.
std::string canonical(const Setting& setting, std::string_view value, const std::filesystem::path& folder);

/// Every setting that always exists, in the order in which help and resolved configs show them.
const std::vector<Setting>& table();

/// Fields of a section `gate.<name>`.
const std::vector<Setting>& gate_table();

/// Top-level keys: the settings without a dot.
bool is_top_level(std::string_view key);

/// Whether `name` may not name a head: sections and words with a meaning of their own.
bool is_reserved(std::string_view name);

}  // namespace foxhunt::config
