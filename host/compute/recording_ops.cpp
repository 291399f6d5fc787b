#include <cmath>
#include <limits>

#include "recording_impl.hpp"

namespace foxhunt::compute {
namespace {

const fh_kernel* declared(const KernelLibrary& library, const fh_kernel& kernel) {
  for (const fh_kernel* k : library.kernels)
    if (std::string_view(k->entry) == kernel.entry && std::string_view(k->file) == kernel.file) return k;
  return nullptr;
}

struct Matrix {
  int64_t rows, columns;
};

// A tensor as a matrix of its last dimension.
Matrix matrix(const fh_shape& shape) {
  if (shape.rank == 0) return {1, 1};
  Matrix m{1, shape.dim[shape.rank - 1]};
  for (uint32_t i = 0; i + 1 < shape.rank; ++i) m.rows *= shape.dim[i];
  return m;
}

std::string to_string(const Matrix& m) {
  return std::string("[")
      .append(std::to_string(m.rows))
      .append(" x ")
      .append(std::to_string(m.columns))
      .append("]");
}

bool representable(fh_dtype dtype, double v) {
  const auto whole = [v](double low, double high) { return v >= low && v <= high && std::floor(v) == v; };
  switch (dtype) {
    case FH_F32:
    case FH_F64:
      return true;
    case FH_I32:
      return whole(-0x1p31, 0x1p31 - 1);
    case FH_U32:
      return whole(0, 0x1p32 - 1);
    case FH_U8:
      return whole(0, 255);
    case FH_I64:
      return whole(-0x1p53, 0x1p53);
    case FH_U64:
      return whole(0, 0x1p53);
  }
  return false;
}

}  // namespace

uint32_t Recording::Impl::unit(const fh_kernel& kernel, std::vector<fh_constant> constants) {
  const auto same = [](const fh_constant& a, const fh_constant& b) {
    return a.is_real == b.is_real && (a.is_real ? a.real == b.real : a.integer == b.integer);
  };
  for (uint32_t i = 0; i < program.units.size(); ++i) {
    const KernelUnit& u = program.units[i];
    if (u.library == &library && u.file == kernel.file &&
        std::equal(u.constants.begin(), u.constants.end(), constants.begin(), constants.end(), same))
      return i;
  }
  program.units.push_back({&library, kernel.file, std::move(constants)});
  return static_cast<uint32_t>(program.units.size() - 1);
}

void Recording::Impl::launch(const fh_launch& l) {
  if (!l.kernel) refuse("a launch without a kernel.");
  const fh_kernel* kernel = declared(library, *l.kernel);
  const std::string what = std::string("kernel '") + l.kernel->entry + "' (" + l.kernel->file + ")";
  if (!kernel)
    refuse(what + " is launched, but " + library.owner + " does not declare it in its list of kernels.");
  if (l.argument_count != kernel->param_count)
    refuse(what + " is launched with " + std::to_string(l.argument_count) +
           " arguments; its declaration has " + std::to_string(kernel->param_count) + ".");
  if (l.grid_kind != FH_GRID_BLOCKS && l.grid_kind != FH_GRID_ELEMENTS)
    refuse(what + ": unknown kind of grid " + std::to_string(l.grid_kind) + ".");
  const uint64_t most = l.grid_kind == FH_GRID_BLOCKS ? 0x7fffffffu : uint64_t{1} << 56;
  if (l.count > most)
    refuse(what + ": " + std::to_string(l.count) + (l.grid_kind == FH_GRID_BLOCKS ? " blocks" : " elements") +
           " are more than the " + std::to_string(most) + " that are possible.");

  std::vector<fh_constant> constants;
  for (uint32_t i = 0; i < kernel->constant_count; ++i) {
    const fh_constant* found = nullptr;
    for (uint32_t j = 0; j < l.constant_count; ++j) {
      if (std::string_view(l.constants[j].name) != kernel->constants[i]) continue;
      if (found) refuse(what + ": constant '" + kernel->constants[i] + "' is given twice.");
      found = &l.constants[j];
    }
    if (!found) refuse(what + ": constant '" + kernel->constants[i] + "' is not given.");
    constants.push_back(*found);
    constants.back().name = kernel->constants[i];  // static storage, unlike the caller's
  }
  if (l.constant_count != kernel->constant_count)
    refuse(what + " is given " + std::to_string(l.constant_count) + " constants; its declaration has " +
           std::to_string(kernel->constant_count) + ".");

  Op op;
  LaunchOp launch;
  launch.kernel = kernel;
  launch.grid = {l.grid_kind, l.count};
  for (uint32_t i = 0; i < l.argument_count; ++i) {
    const fh_kernel_param& p = kernel->params[i];
    const std::string use = what + ": argument '" + p.name + "'";
    LaunchOp::Value value;
    value.scalar = l.arguments[i];
    if (p.role == FH_SCALAR) {
      if (l.arguments[i].tensor != 0) refuse(use + " is declared as a scalar, but a tensor is given.");
    } else {
      const bool written = p.role == FH_OUT || p.role == FH_INOUT;
      const Handle& h = written ? get_writable(l.arguments[i].tensor, use) : get(l.arguments[i].tensor, use);
      if (dtype(h.operand) != static_cast<fh_dtype>(p.dtype))
        refuse(use + " is declared as " + name_of(static_cast<fh_dtype>(p.dtype)) + ", but tensor '" +
               name(h.operand) + "' is " + name_of(dtype(h.operand)) + ".");
      value.operand = h.operand;
      if (p.role != FH_OUT) op.reads.push_back(h.operand);
      if (written) op.writes.push_back(h.operand);
    }
    launch.arguments.push_back(value);
  }
  // The kernels' pointers are __restrict__: what one argument writes no other may reach.
  for (uint32_t i = 0; i < l.argument_count; ++i)
    for (uint32_t j = 0; j < l.argument_count; ++j) {
      const fh_kernel_param &w = kernel->params[i], &other = kernel->params[j];
      if (i == j || other.role == FH_SCALAR || (w.role != FH_OUT && w.role != FH_INOUT)) continue;
      if (overlapping(launch.arguments[i].operand, launch.arguments[j].operand))
        refuse(what + ": argument '" + w.name + "' is written and shares memory ('" +
               name(launch.arguments[i].operand) + "') with argument '" + other.name +
               "'. Declare one INOUT parameter instead, or use two tensors.");
    }
  if (l.count == 0) return;
  for (const fh_constant& c : constants)
    launch.constants.push_back(c.is_real ? static_cast<int64_t>(std::llround(c.real)) : c.integer);
  launch.unit = unit(*kernel, std::move(constants));
  op.work = std::move(launch);
  push(std::move(op));
}

void Recording::Impl::gemm(const fh_gemm& g) {
  const Handle &a = get(g.a, "matrix A of a product"), &b = get(g.b, "matrix B of a product");
  const Handle& c = get_writable(g.c, "matrix C of a product");
  const std::string what =
      "product '" + name(c.operand) + "' = '" + name(a.operand) + "' * '" + name(b.operand) + "'";
  for (const Handle* h : {&a, &b, &c})
    if (dtype(h->operand) != FH_F32)
      refuse(what + ": '" + name(h->operand) + "' is " + name_of(dtype(h->operand)) + ", but f32 is needed.");
  const auto operand = [](const Handle& h, bool transpose) {
    const Matrix m = matrix(h.operand.shape);
    return transpose ? Matrix{m.columns, m.rows} : m;
  };
  const Matrix ma = operand(a, g.transpose_a), mb = operand(b, g.transpose_b), mc = operand(c, false);
  const std::string shapes = to_string(mc) + " = " + to_string(ma) + " * " + to_string(mb);
  if (ma.columns != mb.rows || mc.rows != ma.rows || mc.columns != mb.columns)
    refuse(what + ": the shapes do not fit: " + shapes +
           (g.transpose_a || g.transpose_b ? " (transposed)." : "."));
  for (const int64_t d : {mc.rows, mc.columns, ma.columns})
    if (d > std::numeric_limits<int32_t>::max())
      refuse(what + ": a dimension of " + shapes + " is above 2^31 - 1.");
  if (!std::isfinite(g.alpha) || !std::isfinite(g.beta)) refuse(what + ": alpha and beta must be finite.");

  Op op;
  GemmOp work{a.operand,  b.operand,          c.operand,          {},      mc.rows, mc.columns,
              ma.columns, g.transpose_a != 0, g.transpose_b != 0, g.alpha, g.beta};
  work.f32 = g.size >= sizeof(fh_gemm) && (g.flags & FH_GEMM_F32);
  op.reads = {a.operand, b.operand};
  if (g.bias != 0) {
    const Handle& bias = get(g.bias, "the bias of a product");
    if (dtype(bias.operand) != FH_F32 || elements_of(bias.operand.shape) != mc.columns)
      refuse(what + ": the bias '" + name(bias.operand) + "' is " + name_of(dtype(bias.operand)) + " " +
             compute::to_string(bias.operand.shape) + ", but f32 [" + std::to_string(mc.columns) +
             "] is needed.");
    work.bias = bias.operand;
    op.reads.push_back(bias.operand);
  }
  for (const Operand& read : op.reads)
    if (overlapping(read, c.operand))
      refuse(what + ": C shares memory with '" + name(read) + "', which is read.");
  if (g.beta != 0) op.reads.push_back(c.operand);
  op.writes = {c.operand};
  if (mc.rows == 0 || mc.columns == 0) return;
  op.work = work;
  push(std::move(op));
}

void Recording::Impl::fill(fh_tensor to, double value) {
  const Handle& h = get_writable(to, "the tensor of a fill");
  if (!representable(dtype(h.operand), value))
    refuse("'" + name(h.operand) + "' of type " + name_of(dtype(h.operand)) + " cannot be filled with " +
           std::to_string(value) + ".");
  if (elements_of(h.operand.shape) == 0) return;
  Op op;
  op.writes = {h.operand};
  op.work = FillOp{h.operand, value};
  push(std::move(op));
}

void Recording::Impl::copy(fh_tensor to, fh_tensor from) {
  const Handle& t = get_writable(to, "the target of a copy");
  const Handle& f = get(from, "the source of a copy");
  const auto describe = [&](const Handle& h) {
    return "'" + name(h.operand) + "' " + name_of(dtype(h.operand)) + " " +
           compute::to_string(h.operand.shape);
  };
  if (dtype(t.operand) != dtype(f.operand) || elements_of(t.operand.shape) != elements_of(f.operand.shape))
    refuse("copy of " + describe(f) + " to " + describe(t) +
           ": types and numbers of elements must be equal.");
  if (overlapping(t.operand, f.operand))
    refuse("copy of " + describe(f) + " to " + describe(t) + ": they share memory.");
  if (elements_of(t.operand.shape) == 0) return;
  Op op;
  op.reads = {f.operand};
  op.writes = {t.operand};
  op.work = CopyOp{t.operand, f.operand};
  push(std::move(op));
}

}  // namespace foxhunt::compute
