#include "contents.hpp"

#include <foxhunt/checkpoints/tensor_file.hpp>
#include <foxhunt/error.hpp>

#include "../common/text.hpp"
#include "../compute/tensors.hpp"
#include "numbers.hpp"

namespace foxhunt::probe {

namespace {

checkpoints::DType dtype_of(fh_dtype dtype) {
  return with_type(dtype, [](auto zero) { return checkpoints::dtype_of<decltype(zero)>(); });
}

}  // namespace

std::string type_text(const Values& v) {
  if (v.shape.rank == 0) return text(compute::name_of(v.dtype), " scalar");
  std::vector<std::string> parts;
  for (uint32_t i = 0; i < v.shape.rank; ++i)
    parts.push_back(text(i < v.axes.size() ? v.axes[i] + " " : std::string(), v.shape.dim[i]));
  return text(compute::name_of(v.dtype), " [", join(parts, ", "), "]");
}

void write(const std::filesystem::path& file, const checkpoints::Attributes& attributes, const Contents& contents) {
  std::vector<std::vector<std::byte>> buffers;
  std::vector<checkpoints::ConstTensorView> views;
  for (const auto& [path, v] : contents) {
    buffers.push_back(to_bytes(v.dtype, v.data));
    checkpoints::TensorSpec spec;
    spec.path = path;
    spec.dtype = dtype_of(v.dtype);
    for (uint32_t i = 0; i < v.shape.rank; ++i) spec.shape.push_back(static_cast<uint64_t>(v.shape.dim[i]));
    spec.axes = v.axes;
    views.push_back({std::move(spec), buffers.back()});
  }
  checkpoints::write_tensors(file, attributes, views);
}

}  // namespace foxhunt::probe
