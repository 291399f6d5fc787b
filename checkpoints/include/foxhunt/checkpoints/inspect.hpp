#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foxhunt::checkpoints {

struct InspectOptions {
  std::string prefix;  ///< only this object and what lies below it ("/heads/c51"); empty: everything
  bool full_attributes = false;  ///< attribute texts in full, not their beginnings
};

/// Statistics of a numeric dataset, in double. Norm, min, max and mean are over the finite values alone.
struct TensorStats {
  std::uint64_t count = 0, finite = 0, nan = 0, inf = 0;
  double norm = 0, min = 0, max = 0, mean = 0;
};

struct InspectedObject {
  enum class Kind { group, dataset, datatype, link };
  std::string path;
  Kind kind = Kind::group;
  std::string dtype;  ///< "f32", "string", "compound (24 bytes)"
  std::vector<std::uint64_t> shape;
  std::uint64_t stored_bytes = 0;                               ///< in the file, after compression
  std::optional<TensorStats> stats;                             ///< numeric datasets that could be read
  std::string value;                                            ///< exact text, where there is one element
  std::vector<std::pair<std::string, std::string>> attributes;  ///< name, text
  std::string note;  ///< a link's target, or why there are no statistics
};

struct Inspection {
  std::filesystem::path file;
  std::uint64_t file_bytes = 0;
  std::string schema;  ///< "foxhunt-checkpoint 1", or empty for another HDF5 file
  std::vector<InspectedObject> objects;
  std::size_t unreadable = 0;  ///< datasets whose values could not be read (damaged)
};

/// Any HDF5 file. Error if it cannot be opened, or if `prefix` names nothing in it.
Inspection inspect(const std::filesystem::path& file, const InspectOptions& options = {});
std::string to_text(const Inspection& inspection, const InspectOptions& options = {});
std::string inspect_text(const std::filesystem::path& file, const InspectOptions& options = {});

}  // namespace foxhunt::checkpoints
