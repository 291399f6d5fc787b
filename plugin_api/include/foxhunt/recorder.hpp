#pragma once
#include <foxhunt/abi.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"

namespace foxhunt {

/// A tensor handle with its access in one launch.
struct Argument {
  fh_argument value{};
  uint8_t role = FH_SCALAR;
  uint8_t dtype = FH_F32;
};

inline Argument in(fh_tensor t) { return {{t, 0, {}}, FH_IN, 0}; }
inline Argument out(fh_tensor t) { return {{t, 0, {}}, FH_OUT, 0}; }
inline Argument inout(fh_tensor t) { return {{t, 0, {}}, FH_INOUT, 0}; }
inline Argument f32(double v) {
  Argument a;
  a.value.scalar.f32 = static_cast<float>(v);
  a.dtype = FH_F32;
  return a;
}
inline Argument i32(int64_t v) {
  Argument a;
  a.value.scalar.i32 = static_cast<int32_t>(v);
  a.dtype = FH_I32;
  return a;
}
inline Argument u32(uint64_t v) {
  Argument a;
  a.value.scalar.u32 = static_cast<uint32_t>(v);
  a.dtype = FH_U32;
  return a;
}
inline Argument u64(uint64_t v) {
  Argument a;
  a.value.scalar.u64 = v;
  a.dtype = FH_U64;
  return a;
}

inline Argument f64(double v) {
  Argument a;
  a.value.scalar.f64 = v;
  a.dtype = FH_F64;
  return a;
}

inline fh_constant constant(const char* name, int64_t value) { return {name, value, 0, 0, 0}; }
inline fh_constant real_constant(const char* name, double value) { return {name, 0, value, 1, 0}; }

inline fh_shape shape() { return {0, 0, {0, 0, 0, 0}}; }
inline fh_shape shape(int64_t a) { return {1, 0, {a, 0, 0, 0}}; }
inline fh_shape shape(int64_t a, int64_t b) { return {2, 0, {a, b, 0, 0}}; }
inline fh_shape shape(int64_t a, int64_t b, int64_t c) { return {3, 0, {a, b, c, 0}}; }
inline fh_shape shape(int64_t a, int64_t b, int64_t c, int64_t d) { return {4, 0, {a, b, c, d}}; }
inline int64_t elements(const fh_shape& s) {
  int64_t n = 1;
  for (uint32_t i = 0; i < s.rank; ++i) n *= s.dim[i];
  return n;
}

struct Grid {
  uint32_t kind;
  uint64_t count;
  static Grid blocks(int64_t n) { return {FH_GRID_BLOCKS, static_cast<uint64_t>(n)}; }
  static Grid elements(int64_t n) { return {FH_GRID_ELEMENTS, static_cast<uint64_t>(n)}; }
};

struct Gemm {
  bool transpose_a = false, transpose_b = false;
  float alpha = 1, beta = 0;
  fh_tensor bias = 0;
  bool f32 = false;  ///< inputs are never rounded to TF32: for logits
};

/// Records kernel launches and matrix products over tensor handles. Used alike by plugins and by the program
/// itself. Every call throws foxhunt::Error with the program's explanation when it is refused: unknown
/// handle, wrong type or shape, a write to a tensor that is only readable.
class Recorder {
 public:
  /// `scratch_prefix` is put before the names of this recorder's scratch tensors.
  Recorder(fh_recorder* recorder, const fh_recorder_api* api, std::string scratch_prefix = {})
      : r_(recorder), api_(api), scratch_prefix_(std::move(scratch_prefix)) {}

  fh_tensor scratch(const char* name, fh_shape s, fh_dtype dtype = FH_F32) {
    fh_tensor t = 0;
    check(api_->scratch(r_, (scratch_prefix_ + name).c_str(), dtype, &s, &t));
    return t;
  }
  fh_tensor view(fh_tensor tensor, int64_t offset, fh_shape s) {
    fh_tensor t = 0;
    check(api_->view(r_, tensor, offset, &s, &t));
    return t;
  }
  /// Row `index` of dimension 0, with that dimension dropped.
  fh_tensor slice(fh_tensor tensor, int64_t index) {
    const fh_shape whole = shape_of(tensor);
    fh_shape s{whole.rank - 1, 0, {0, 0, 0, 0}};
    for (uint32_t i = 1; i < whole.rank; ++i) s.dim[i - 1] = whole.dim[i];
    return view(tensor, index * foxhunt::elements(s), s);
  }
  fh_tensor reshape(fh_tensor tensor, fh_shape s) { return view(tensor, 0, s); }
  fh_shape shape_of(fh_tensor tensor) {
    fh_shape s{};
    check(api_->shape(r_, tensor, &s));
    return s;
  }
  void launch(const fh_kernel& kernel, Grid grid, std::initializer_list<Argument> arguments,
              const std::vector<fh_constant>& constants = {}) {
    std::vector<fh_argument> values;
    values.reserve(arguments.size());
    uint32_t i = 0;
    for (const Argument& a : arguments) {
      if (i < kernel.param_count &&
          (kernel.params[i].role != a.role || (a.role == FH_SCALAR && kernel.params[i].dtype != a.dtype)))
        throw Error(std::string(kernel.file) + ": argument '" + kernel.params[i].name + "' of kernel '" +
                    kernel.entry + "' is given with another access or type than its declaration has");
      values.push_back(a.value);
      ++i;
    }
    const fh_launch l{sizeof(fh_launch),
                      grid.kind,
                      &kernel,
                      grid.count,
                      values.data(),
                      static_cast<uint32_t>(values.size()),
                      static_cast<uint32_t>(constants.size()),
                      constants.data()};
    check(api_->launch(r_, &l));
  }
  void gemm(fh_tensor c, fh_tensor a, fh_tensor b, const Gemm& g = {}) {
    const fh_gemm call{sizeof(fh_gemm), a, b, c, g.bias, g.transpose_a, g.transpose_b, g.alpha, g.beta,
                       g.f32 ? FH_GEMM_F32 : 0u};
    check(api_->gemm(r_, &call));
  }
  void fill(fh_tensor tensor, double value) { check(api_->fill(r_, tensor, value)); }
  void copy(fh_tensor to, fh_tensor from) { check(api_->copy(r_, to, from)); }

  struct Key {
    uint32_t k[2];
  };
  /// The Philox key of a named stream of this instance.
  Key stream(const char* purpose) {
    Key key{};
    check(api_->stream(r_, purpose, key.k));
    return key;
  }

  /// Random numbers, f32: scratch for which `draw(tensor)` records the drawing, unless they are given from outside by
  /// this name (`foxhunt probe` reads them from the dataset /NAME, so that a reference can use the same numbers).
  template <class Draw>
  fh_tensor noise(const char* name, fh_shape s, Draw&& draw) {
    fh_tensor t = 0;
    uint32_t filled = 0;
    check(api_->noise(r_, name, &s, &t, &filled));
    if (t == 0) t = scratch(name, s);
    if (filled == 0) draw(t);
    return t;
  }

  fh_recorder* handle() const { return r_; }
  const fh_recorder_api* api() const { return api_; }

 private:
  void check(fh_status s) const {
    if (s != FH_OK) throw Error(api_->error(r_));
  }
  fh_recorder* r_;
  const fh_recorder_api* api_;
  std::string scratch_prefix_;
};

}  // namespace foxhunt
