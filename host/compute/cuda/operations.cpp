#include "operations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <foxhunt/error.hpp>

#include "kernels.hpp"

namespace foxhunt::compute::cuda {
namespace {

uint64_t bits(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }
uint64_t bits(float value) { return std::bit_cast<uint32_t>(value); }

// The value as the tensor's type, in the low bytes.
uint64_t bits_as(fh_dtype dtype, double value) {
  switch (dtype) {
    case FH_F32:
      return bits(static_cast<float>(value));
    case FH_F64:
      return std::bit_cast<uint64_t>(value);
    case FH_I32:
      return static_cast<uint32_t>(static_cast<int32_t>(value));
    case FH_U32:
      return static_cast<uint32_t>(value);
    case FH_U8:
      return static_cast<uint8_t>(value);
    case FH_I64:
      return static_cast<uint64_t>(static_cast<int64_t>(value));
    case FH_U64:
      return static_cast<uint64_t>(value);
  }
  throw Error("a tensor has the unknown type number " + std::to_string(dtype) + ".");
}

// A launch with its arguments in 8 bytes each, little-endian: every scalar type and pointer begins at byte 0.
BoundOp launch(const Kernel& kernel, const LaunchShape& shape, std::vector<uint64_t> arguments) {
  const std::string name = kernel.owner + ": kernel '" + kernel.declaration->entry + "'";
  return {[function = static_cast<const void*>(kernel.handle), shape, name, values = std::move(arguments)](
              cudaStream_t stream, void*) mutable {
            std::vector<void*> pointers;
            for (uint64_t& value : values) pointers.push_back(&value);
            FOXHUNT_CUDA(cudaLaunchKernel(function, dim3(shape.grid), dim3(shape.block), pointers.data(),
                                          shape.shared_bytes, stream),
                         name);
          },
          0};
}

}  // namespace

BoundOp Operations::bind(const Op& op, const std::vector<KernelUnit>& units,
                         const std::vector<size_t>& loaded) {
  if (const auto* launched = std::get_if<LaunchOp>(&op.work))
    return bind(*launched, units.at(launched->unit).library->owner, loaded.at(launched->unit));
  if (const auto* gemm = std::get_if<GemmOp>(&op.work)) return bind(*gemm);
  if (const auto* fill = std::get_if<FillOp>(&op.work)) return bind(*fill);
  return bind(std::get<CopyOp>(op.work));
}

BoundOp Operations::bind(const LaunchOp& op, const std::string& owner, size_t module) {
  if (op.grid.count == 0) return {};
  const Kernel& kernel = modules_.kernel(module, *op.kernel, owner);
  std::vector<uint64_t> arguments;
  for (const LaunchOp::Value& value : op.arguments) {
    uint64_t word = 0;
    if (value.operand.tensor)
      word = bits(memory_.at(value.operand));
    else
      std::memcpy(&word, &value.scalar.scalar, sizeof word);
    arguments.push_back(word);
  }
  return launch(kernel, shape_of(op, kernel, device_), std::move(arguments));
}

BoundOp Operations::bind(const GemmOp& op) {
  if (op.m == 0 || op.n == 0) return {};
  const auto pointer = [&](const Operand& o) { return static_cast<float*>(memory_.at(o)); };
  const bool bias = op.bias.tensor != 0;
  const GemmPointers p{pointer(op.a), pointer(op.b), pointer(op.c), bias ? pointer(op.bias) : nullptr};
  GemmProblem problem{op.m, op.n, op.k, op.transpose_a, op.transpose_b, bias, op.f32};
  problem.align_a = alignment_of(p.a);
  problem.align_b = alignment_of(p.b);
  problem.align_c = alignment_of(p.c);
  if (bias) problem.align_bias = alignment_of(p.bias);
  const Gemms::Choice* choice = gemms_.choose(problem);
  if (!choice)
    return own_kernel(gemm_direct, op.m * op.n,
                      {bits(p.a), bits(p.b), bits(p.bias), bits(p.c), static_cast<uint64_t>(op.m),
                       static_cast<uint64_t>(op.n), static_cast<uint64_t>(op.k), op.transpose_a,
                       op.transpose_b, bias, bits(op.alpha), bits(op.beta)});
  return {[this, choice, p, alpha = op.alpha, beta = op.beta](cudaStream_t stream, void* workspace) {
            gemms_.launch(*choice, p, alpha, beta, workspace, stream);
          },
          Gemms::workspace(*choice)};
}

BoundOp Operations::bind(const FillOp& op) {
  const fh_dtype dtype = memory_.tensors()[op.to.tensor].dtype;
  const size_t width = bytes_of(dtype);
  const int64_t n = elements_of(op.to.shape);
  void* to = memory_.at(op.to);
  const uint64_t value = bits_as(dtype, op.value);
  if (n == 0) return {};
  std::array<uint8_t, 8> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  if (std::all_of(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(width),
                  [&](uint8_t b) { return b == bytes[0]; }))
    return {[to, byte = bytes[0], size = static_cast<size_t>(n) * width](cudaStream_t stream, void*) {
              FOXHUNT_CUDA(cudaMemsetAsync(to, byte, size, stream));
            },
            0};
  return own_kernel(width == 4 ? fill_words32 : fill_words64, n, {bits(to), value, static_cast<uint64_t>(n)});
}

BoundOp Operations::bind(const CopyOp& op) {
  void* to = memory_.at(op.to);
  const void* from = memory_.at(op.from);
  const size_t bytes =
      static_cast<size_t>(elements_of(op.to.shape)) * bytes_of(memory_.tensors()[op.to.tensor].dtype);
  if (bytes == 0 || to == from) return {};
  return {[to, from, bytes](cudaStream_t stream, void*) {
            FOXHUNT_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
          },
          0};
}

BoundOp Operations::own_kernel(const fh_kernel& declaration, int64_t elements,
                               std::vector<uint64_t> arguments) {
  const size_t module = modules_.load({KernelUnit{&own_library(), declaration.file, {}}}).front();
  LaunchOp op;
  op.kernel = &declaration;
  op.grid = Grid::elements(elements);
  const Kernel& kernel = modules_.kernel(module, declaration, own_library().owner);
  return launch(kernel, shape_of(op, kernel, device_), std::move(arguments));
}

}  // namespace foxhunt::compute::cuda
