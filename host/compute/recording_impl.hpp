#pragma once
// The inside of Recording, shared by the files that implement it.
#include "program.hpp"
#include "windows.hpp"

// What the C ABI holds a pointer to.
struct fh_recorder {
  std::string error;
};

namespace foxhunt::compute {

struct Recording::Impl : fh_recorder {
  struct Handle {
    Operand operand;
    bool writable = false;
  };

  Impl(Program& program_, Tensors& tensors_, const KernelLibrary& library_, Identity identity_);

  fh_tensor give(const Operand& operand, bool writable);
  /// @throws foxhunt::Error for a handle that this recording did not give; `use` says what it was passed as.
  const Handle& get(fh_tensor handle, const std::string& use) const;
  const Handle& get_writable(fh_tensor handle, const std::string& use) const;
  fh_dtype dtype(const Operand& o) const { return tensors[o.tensor].dtype; }
  const std::string& name(const Operand& o) const { return tensors[o.tensor].name; }
  bool overlapping(const Operand& a, const Operand& b) const {
    return overlap(window_of(tensors, a), window_of(tensors, b));
  }

  fh_tensor scratch(const char* name, uint32_t dtype, const fh_shape& shape);
  fh_tensor view(fh_tensor handle, int64_t offset, const fh_shape& shape);
  void launch(const fh_launch& l);
  void gemm(const fh_gemm& g);
  void fill(fh_tensor to, double value);
  void copy(fh_tensor to, fh_tensor from);
  fh_tensor noise(const char* name, const fh_shape& shape, uint32_t& filled);
  uint32_t unit(const fh_kernel& kernel, std::vector<fh_constant> constants);
  void push(Op op);

  /// Error with the owner and the step in front.
  [[noreturn]] void refuse(const std::string& why) const;

  static const fh_recorder_api& api();

  Program& program;
  Tensors& tensors;
  const KernelLibrary& library;
  Identity identity;
  NoiseSource noise_source;
  std::vector<Handle> handles;
  fh_tensor tag;  // high bits of this recording's handles: those of another one are not mistaken for its own
};

}  // namespace foxhunt::compute
