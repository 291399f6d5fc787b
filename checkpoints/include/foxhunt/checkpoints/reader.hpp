#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <foxhunt/checkpoints/tensor.hpp>

namespace foxhunt::checkpoints {

/// Which of the wanted tensors a file can give, by name, type and shape.
struct Match {
  struct Different {
    TensorSpec wanted, found;
  };
  std::vector<std::size_t> matched;  ///< indices into the wanted list
  std::vector<std::string> missing;  ///< wanted, not in the file
  std::vector<Different> different;  ///< in both, with another type or shape
  std::vector<std::string> unused;   ///< in the file, not wanted
};

/// One line per tensor that was not taken over, in either direction, after a line with the counts.
std::string to_text(const Match& match);

/// An open checkpoint. Errors name the file, the dataset and the reason; nothing is printed by HDF5 itself.
class Reader {
 public:
  enum class Verify {
    all,       ///< every dataset is read once and its checksum compared
    structure  ///< names, types and shapes only; checksums are still compared when values are loaded
  };

  /// Error if the file is missing, truncated, damaged, not HDF5, or of another schema or a newer version.
  explicit Reader(const std::filesystem::path& file, Verify verify = Verify::all);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  const std::filesystem::path& file() const;
  /// Attributes of `/meta` without the schema's own two.
  const Attributes& meta() const;
  /// Typed access; Error if the attribute is absent or of another type.
  const std::string& text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  const std::vector<std::string>& list(std::string_view name) const;

  /// All tensors, sorted by path.
  const std::vector<TensorSpec>& tensors() const;
  const TensorSpec* find(std::string_view path) const;

  /// Copies the file's values into all of `wanted`, or throws and changes none of them: presence, type and
  /// shape of all are checked first, then all values are read and their checksums compared, then they are
  /// copied.
  void load(std::span<const TensorView> wanted) const;

  /// What `load_matching` would take over.
  Match match(std::span<const TensorView> wanted) const;
  /// Takes over the tensors that match by name, type and shape; all of them or, on an Error, none.
  Match load_matching(std::span<const TensorView> wanted) const;

  /// One tensor's values; Error if absent or of another element type.
  template <class T>
  std::vector<T> read(std::string_view path) const {
    const TensorSpec& spec = require(path, dtype_of<T>());
    std::vector<T> values(static_cast<std::size_t>(spec.elements()));
    read_into(spec, std::as_writable_bytes(std::span<T>(values)));
    return values;
  }

 private:
  struct Impl;
  const TensorSpec& require(std::string_view path, DType type) const;
  void read_into(const TensorSpec& spec, std::span<std::byte> out) const;
  void copy(std::span<const TensorView> wanted, std::span<const std::size_t> chosen) const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace foxhunt::checkpoints
