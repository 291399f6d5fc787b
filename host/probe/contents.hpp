#pragma once
#include <foxhunt/abi.h>

#include <cstdint>
#include <filesystem>
#include <foxhunt/checkpoints/tensor.hpp>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace foxhunt::probe {

/// A tensor by value. Numbers are doubles here whatever their type is; f32, i32, u32 and u8 lose nothing by that.
struct Values {
  fh_dtype dtype = FH_F32;
  fh_shape shape{};
  std::vector<std::string> axes;  ///< one name a dimension, or empty
  std::vector<double> data;       ///< row-major; empty where the tensor is only described
  /// What a file may hold; integers must fit their type besides.
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
};

/// Tensors by the path of their dataset.
using Contents = std::map<std::string, Values>;

/// "f32 [batch 4, hidden 128]"
std::string type_text(const Values& values);

/// @throws foxhunt::Error if the file cannot be written; then it is unchanged.
void write(const std::filesystem::path& file, const checkpoints::Attributes& attributes, const Contents& contents);

}  // namespace foxhunt::probe
