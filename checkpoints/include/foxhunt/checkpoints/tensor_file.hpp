#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <foxhunt/checkpoints/tensor.hpp>

namespace foxhunt::checkpoints {

/// Tensors in an HDF5 file of any origin: no schema is asked for. Errors name the file, the dataset and the reason.
class TensorFile {
 public:
  enum class Number { floating, integer, none };
  struct Entry {
    std::string path;  ///< "/weights/online/w"
    std::vector<std::uint64_t> shape;
    Number number = Number::none;  ///< Boolean values (an enumeration, as h5py writes them) count as integers
    std::string type;              ///< "f32", "i64be", "string"
  };

  /// Error if the file is missing, no HDF5 file, truncated or damaged.
  explicit TensorFile(const std::filesystem::path& file);
  ~TensorFile();
  TensorFile(TensorFile&&) noexcept;
  TensorFile& operator=(TensorFile&&) noexcept;

  const std::filesystem::path& file() const;
  /// All datasets, sorted by path.
  const std::vector<Entry>& entries() const;
  const Entry* find(std::string_view path) const;
  /// All values as doubles, row-major. Error if absent, not of numbers, or holding an integer beyond ±2^53.
  std::vector<double> read(std::string_view path) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Writes tensors, and attributes of the root, so that `file` is at any instant what it was before or the whole new
/// one. The same content gives the same bytes. Error as from write_checkpoint.
void write_tensors(const std::filesystem::path& file, const Attributes& attributes,
                   std::span<const ConstTensorView> tensors);

}  // namespace foxhunt::checkpoints
