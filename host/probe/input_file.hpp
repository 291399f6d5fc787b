#pragma once
#include <foxhunt/checkpoints/tensor_file.hpp>
#include <set>
#include <string>
#include <vector>

#include "contents.hpp"

namespace foxhunt::probe {

/// The tensors a plugin is probed with. Everything that does not fit is collected, so that one message names all of
/// it.
class InputFile {
 public:
  /// @throws foxhunt::Error if it cannot be read as HDF5.
  explicit InputFile(const std::filesystem::path& file) : file_(file) {}

  bool has(const std::string& path) const { return file_.find(path) != nullptr; }
  /// Shape of a dataset that decides on the sizes of others. `axes`: what its dimensions are, "batch", "hidden".
  /// @throws foxhunt::Error if it is missing or has another number of dimensions, or one of length 0.
  fh_shape shape(const std::string& path, const std::vector<std::string>& axes, fh_dtype dtype = FH_F32);

  /// Reads what `wanted` describes into its data. What is missing, of another kind of number, misshapen or out of
  /// range becomes a fault.
  void read(Contents& wanted);
  /// The same for those that are there; the others are taken out.
  void read_if_present(Contents& wanted);
  void fault(const std::string& path, const std::string& why) { faults_.push_back(path + " " + why); }
  /// @throws foxhunt::Error naming every fault so far; `hint` follows them.
  void check(const std::string& hint = {}) const;

  /// Datasets that nothing asked for.
  std::vector<std::string> unread() const;
  const std::filesystem::path& path() const { return file_.file(); }

 private:
  void read_one(const std::string& path, Values& values);

  checkpoints::TensorFile file_;
  std::set<std::string> asked_;
  std::vector<std::string> faults_;
};

}  // namespace foxhunt::probe
