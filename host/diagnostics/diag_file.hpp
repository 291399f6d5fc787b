#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "schema.hpp"

namespace foxhunt::diagnostics {

/// Appends rows to a run's diag.jsonl. Each line is on its way to readers (`tail -f`) when write() returns.
class DiagWriter {
 public:
  /// Begins a new file. @throws Error if it exists: a run never overwrites another.
  explicit DiagWriter(const std::filesystem::path& path);
  /// Continues after iteration `step`: lines of later iterations (the run went on after its checkpoint) and a
  /// half-written last line are cut off. A missing file is begun anew, with a warning.
  /// If the file's keys are not the schema's, that is a warning too.
  /// @throws Error naming the file if it cannot be read or cut.
  static DiagWriter resume(const std::filesystem::path& path, const MetricSchema& schema, std::int64_t step);
  DiagWriter(DiagWriter&&) noexcept;
  DiagWriter& operator=(DiagWriter&&) noexcept;
  ~DiagWriter();

  /// @throws Error naming the file and the system's reason, e.g. a full disk.
  void write(const Row& row);
  /// All lines so far survive a power cut: call it before a checkpoint is made.
  void sync();

 private:
  struct File;
  explicit DiagWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

/// Calls `line(text, bytes, whole)` for each line of a file: `bytes` with its line end, which a line that is not
/// whole lacks. A line of a megabyte or more is damage and comes as an empty text.
/// @throws Error naming the file if it cannot be read.
void for_each_line(const std::filesystem::path& path,
                   const std::function<void(std::string_view, std::uintmax_t, bool)>& line);

/// A diag.jsonl of any schema, in memory.
struct DiagTable {
  std::vector<std::string> names;         ///< keys of the first line; arrays as "action_hist.0", …
  std::vector<std::vector<double>> rows;  ///< one value a name; NaN where a line lacks it
  std::size_t damaged = 0;                ///< lines that are no JSON object, left out
  /// Column of a name, or names.size().
  std::size_t column(std::string_view name) const;
};
DiagTable read_diag(const std::filesystem::path& path);

/// The rows of a diag.jsonl in this schema (NaN where the file lacks a key), up to iteration `last_step`.
std::vector<Row> read_rows(const std::filesystem::path& path, const MetricSchema& schema,
                           std::int64_t last_step);

}  // namespace foxhunt::diagnostics
