#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../compute/program.hpp"
#include "description.hpp"

namespace foxhunt::plugins {

/// A plugin's file, not opened.
struct Candidate {
  Description description;
  std::filesystem::path path;
  std::string sha256;  ///< of the file, hexadecimal
};

/// An opened plugin whose tables were checked. Lives as long as the Registry that opened it.
class Plugin {
 public:
  /// Opens the file: its constructors run.
  /// @throws foxhunt::Error with one sentence: the loader's message, or which entry of its tables is wrong.
  explicit Plugin(Candidate candidate);
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  const Candidate& candidate() const { return candidate_; }
  const std::string& name() const { return candidate_.description.name; }
  fh_kind kind() const { return candidate_.description.kind; }
  std::span<const fh_option> options() const { return {table_->options, table_->option_count}; }
  const fh_plugin& table() const { return *table_; }
  const compute::KernelLibrary& kernels() const { return kernels_; }
  /// "plugin c51 1.0.0": for messages.
  std::string label() const;

 private:
  Candidate candidate_;
  const fh_plugin* table_ = nullptr;
  compute::KernelLibrary kernels_;
};

/// @throws foxhunt::Error naming the first entry that breaks the ABI's rules.
void check_tables(const fh_plugin* table, const Description& description);

/// "a|b|c" as words; empty if there is an empty word.
std::vector<std::string> choices_of(const fh_option& option);

}  // namespace foxhunt::plugins
