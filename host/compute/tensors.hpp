#pragma once
#include <foxhunt/abi.h>

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace foxhunt::compute {

/// Index into a Tensors table. 0 is "no tensor".
using TensorId = uint32_t;

/// Where the state registry puts a tensor.
enum class Lifetime {
  scratch,   ///< undefined between iterations
  resident,  ///< kept on the device, rebuilt at start (market data, constants): not in the checkpoint
  state      ///< the state registry: exactly what a checkpoint holds, under the tensor's name
};

struct TensorSpec {
  std::string name;  ///< unique; a state tensor's name is its path in the checkpoint, "/heads/c51/online/w"
  fh_dtype dtype = FH_F32;
  fh_shape shape{};
  Lifetime lifetime = Lifetime::scratch;
  std::array<std::string, FH_MAX_RANK> axes{};
  std::string unit{};
  /// A window of another tensor instead of memory of its own: parameters of one group lie side by side, so
  /// that one launch serves them all. Same dtype; the parent has no parent. Recordings see the parent's
  /// memory.
  TensorId parent = 0;
  int64_t parent_offset = 0;  ///< elements
};

size_t bytes_of(fh_dtype dtype);
const char* name_of(fh_dtype dtype);
int64_t elements_of(const fh_shape& shape);
std::string to_string(const fh_shape& shape);  ///< "[16, 9]"

/// @throws foxhunt::Error, beginning with `what`, if the rank or a dimension is out of range or the number of
/// elements overflows.
void check_shape(const fh_shape& shape, const std::string& what);

/// All tensors of one trainer: names, types, shapes. A Compute backend gives them memory.
class Tensors {
 public:
  /// @throws foxhunt::Error if the name is taken or the shape is negative or overflows.
  TensorId add(TensorSpec spec);
  const TensorSpec& operator[](TensorId id) const { return specs_.at(id - 1); }
  TensorId find(std::string_view name) const;  ///< 0 if there is none
  size_t bytes(TensorId id) const;
  uint32_t count() const { return static_cast<uint32_t>(specs_.size()); }
  /// State tensors in order of registration.
  std::vector<TensorId> state() const;

 private:
  std::vector<TensorSpec> specs_;
  std::unordered_map<std::string, TensorId> by_name_;
};

}  // namespace foxhunt::compute
