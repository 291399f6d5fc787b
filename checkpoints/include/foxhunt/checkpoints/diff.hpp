#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace foxhunt::checkpoints {

struct DiffOptions {
  /// Unset: values are equal when their bits are. Set: when |a − b| <= tolerance·max(1, |a|, |b|). In both
  /// cases a NaN equals only the NaN of the same bits.
  std::optional<double> tolerance;
  /// Objects left out with all below them ("/heads/twin"); "/meta@config" leaves out one attribute.
  std::vector<std::string> ignore;
};

struct Difference {
  enum class Kind { only_in_a, only_in_b, object_kind, dtype, shape, values, attribute };
  Kind kind = Kind::values;
  std::string path;  ///< "/heads/c51/online/w", or "/meta@step" for an attribute
  std::string a, b;  ///< what each file has, as text

  std::uint64_t differing = 0, total = 0;  ///< values: how many elements, of how many
  std::uint64_t not_finite = 0;            ///< of these, where either side is NaN or infinite
  double max_abs = 0, max_rel = 0;         ///< over differing finite pairs; relative to the larger magnitude
  std::vector<std::uint64_t> first_index;  ///< of the first differing element; a and b are its two values
};

struct DiffResult {
  std::filesystem::path file_a, file_b;
  std::uint64_t tensors = 0, attributes = 0;  ///< compared
  std::uint64_t ignored = 0;                  ///< objects and attributes left out by DiffOptions::ignore
  std::vector<std::string> unused_ignores;    ///< entries of DiffOptions::ignore that matched nothing
  std::vector<Difference> differences;        ///< sorted by path
  bool same() const { return differences.empty(); }
};

/// Compares two HDF5 files by content: presence, kind, element type, shape, values and attributes of every
/// object. Layout, compression and order in the file do not count. Error if either file cannot be read.
DiffResult diff(const std::filesystem::path& a, const std::filesystem::path& b,
                const DiffOptions& options = {});
std::string to_text(const DiffResult& result);

}  // namespace foxhunt::checkpoints
