#include "bench_floor.hpp"

#include <algorithm>

namespace foxhunt::trainer {

namespace {

constexpr fh_shape square(int64_t n) {
  fh_shape s{};
  s.rank = 2;
  s.dim[0] = s.dim[1] = n;
  return s;
}

double bytes_of(const compute::Operand& o, const compute::Tensors& tensors) {
  if (o.tensor == 0) return 0;
  return static_cast<double>(compute::elements_of(o.shape)) * static_cast<double>(compute::bytes_of(tensors[o.tensor].dtype));
}

}  // namespace

Machine measure_machine(const compute::Options& options) {
  const auto device = compute::open(options);
  const bool gpu = device->device().kind == "cuda";
  const int64_t copied = gpu ? 8192 : 4096, multiplied = gpu ? 4096 : 1024;
  compute::Tensors tensors;
  const auto add = [&](const char* name, int64_t n) {
    compute::TensorSpec spec;
    spec.name = name;
    spec.shape = square(n);
    return tensors.add(std::move(spec));
  };
  const auto whole = [&](compute::TensorId id) { return compute::Operand{id, 0, tensors[id].shape}; };
  const compute::TensorId from = add("from", copied), to = add("to", copied), a = add("a", multiplied), b = add("b", multiplied),
                          c = add("c", multiplied);
  compute::GemmOp product;
  product.a = whole(a), product.b = whole(b), product.c = whole(c);
  product.m = product.n = product.k = multiplied;
  compute::Program program{"machine", {}, {}};
  program.ops.push_back({"copy", "", compute::CopyOp{whole(to), whole(from)}, {whole(from)}, {whole(to)}});
  program.ops.push_back({"product", "", product, {whole(a), whole(b)}, {whole(c)}});
  device->allocate(tensors);
  const std::vector<double> us = device->time_operations(program, 15);
  const auto n = static_cast<double>(copied), m = static_cast<double>(multiplied);
  return {2 * 4 * n * n / us[0], 2 * m * m * m / us[1]};
}

double Work::floor_us(const Machine& m) const { return std::max(bytes / m.bytes_per_us, flops / m.flops_per_us); }

Work least_work(const compute::Op& op, const compute::Tensors& tensors) {
  Work w;
  if (const auto* launch = std::get_if<compute::LaunchOp>(&op.work)) {
    for (size_t i = 0; i < launch->arguments.size(); ++i) {
      const fh_kernel_param& p = launch->kernel->params[i];
      if (p.flags & FH_INDEXED) continue;
      w.bytes += (p.role == FH_INOUT ? 2 : 1) * bytes_of(launch->arguments[i].operand, tensors);
    }
  } else if (const auto* gemm = std::get_if<compute::GemmOp>(&op.work)) {
    w.bytes = bytes_of(gemm->a, tensors) + bytes_of(gemm->b, tensors) + bytes_of(gemm->bias, tensors) +
              (gemm->beta != 0 ? 2 : 1) * bytes_of(gemm->c, tensors);
    w.flops = 2.0 * static_cast<double>(gemm->m) * static_cast<double>(gemm->n) * static_cast<double>(gemm->k);
  } else if (const auto* fill = std::get_if<compute::FillOp>(&op.work)) {
    w.bytes = bytes_of(fill->to, tensors);
  } else if (const auto* copy = std::get_if<compute::CopyOp>(&op.work)) {
    w.bytes = 2 * bytes_of(copy->to, tensors);
  }
  return w;
}

}  // namespace foxhunt::trainer
