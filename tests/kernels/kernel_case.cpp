#include "kernel_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <foxhunt/error.hpp>
#include <limits>
#include <sstream>

#include "cases.hpp"

namespace foxhunt::kernels::test {
namespace {

constexpr double untouched = 77;

bool is_real(uint8_t dtype) { return dtype == FH_F32 || dtype == FH_F64; }

double beyond_end(const fh_kernel_param& p) {
  return is_real(p.dtype) && p.role == FH_IN ? std::nan("") : untouched;
}

// Calls f with a value of the type that a device holds for this dtype.
template <class F>
auto with_type(uint8_t dtype, bool real64, F&& f) {
  switch (dtype) {
    case FH_F32:
      return real64 ? f(double{}) : f(float{});
    case FH_F64:
      return f(double{});
    case FH_I32:
      return f(int32_t{});
    case FH_U32:
      return f(uint32_t{});
    case FH_U8:
      return f(uint8_t{});
    case FH_I64:
      return f(int64_t{});
    case FH_U64:
      return f(uint64_t{});
  }
  throw Error("a kernel parameter has the unknown type number " + std::to_string(dtype));
}

bool agree(double got, double expected, const Tolerance& t) {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected)) return got == expected;
  return std::abs(got - expected) <= t.absolute + t.relative * std::abs(expected);
}

Tolerance tolerance_of(const KernelCase& c, const fh_kernel_param& p, bool real64) {
  if (!is_real(p.dtype)) return {};
  const bool as_double = real64 && p.dtype == FH_F32;
  const auto& given = as_double ? c.tolerance64 : c.tolerance;
  if (const auto found = given.find(p.name); found != given.end()) return found->second;
  if (p.dtype == FH_F64) return {1e-12, 1e-12};
  return as_double ? Tolerance{1e-10, 1e-10} : Tolerance{2e-6, 2e-6};
}

}  // namespace

Arguments::Arguments(const fh_kernel& kernel, std::vector<Values> values)
    : kernel_(&kernel), values_(std::move(values)) {
  if (values_.size() != kernel.param_count)
    throw Error(std::string(kernel.entry) + ": " + std::to_string(kernel.param_count) +
                " arguments are expected, a case gives " + std::to_string(values_.size()));
  for (size_t i = 0; i < values_.size(); ++i) {
    const fh_kernel_param& p = kernel.params[i];
    if (p.role == FH_SCALAR && values_[i].size() != 1)
      throw Error(std::string(kernel.entry) + ": the scalar '" + p.name + "' needs exactly one value");
    for (double& v : values_[i]) {
      if (p.dtype == FH_F32) v = static_cast<float>(v);
      if (!is_real(p.dtype) && std::isnan(v)) v = untouched;
    }
  }
}

size_t Arguments::index(std::string_view parameter) const {
  for (size_t i = 0; i < values_.size(); ++i)
    if (parameter == kernel_->params[i].name) return i;
  throw Error(std::string(kernel_->entry) + " has no parameter '" + std::string(parameter) + "'");
}

compute::KernelUnit KernelCase::unit() const {
  compute::KernelUnit u{library, kernel->file, {}};
  for (uint32_t i = 0; i < kernel->constant_count; ++i) {
    const auto found = std::find_if(constants.begin(), constants.end(), [&](const fh_constant& c) {
      return std::string_view(c.name) == kernel->constants[i];
    });
    if (found == constants.end())
      throw Error(label() + ": the constant '" + kernel->constants[i] + "' has no value");
    u.constants.push_back(*found);
  }
  return u;
}

const std::vector<KernelCase>& all_cases() {
  static const std::vector<KernelCase> all = [] {
    Cases cases;
    common_cases(cases);
    compute_cases(cases);
    environment_cases(cases);
    classic_control_cases(cases);
    network_cases(cases);
    mamba2_cases(cases);
    agent_cases(cases);
    replay_cases(cases);
    sequence_cases(cases);
    optimizer_cases(cases);
    balance_cases(cases);
    diagnostics_cases(cases);
    q_heads_cases(cases);
    quantile_cases(cases);
    dueling_cases(cases);
    reward_shaping_cases(cases);
    position_sizing_cases(cases);
    return std::move(cases.list);
  }();
  return all;
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const KernelCase& c : all_cases())
    if (std::find(names.begin(), names.end(), c.kernel->entry) == names.end()) names.push_back(c.kernel->entry);
  return names;
}

std::vector<const KernelCase*> cases_of(std::string_view entry) {
  std::vector<const KernelCase*> found;
  for (const KernelCase& c : all_cases())
    if (entry == c.kernel->entry) found.push_back(&c);
  return found;
}

std::string folder(const fh_kernel& kernel) {
  const std::string file = kernel.file;
  return file.substr(0, file.rfind('/') + 1);
}

std::vector<compute::KernelUnit> all_units() {
  std::vector<compute::KernelUnit> units;
  std::vector<std::string> keys;
  for (const KernelCase& c : all_cases()) {
    const compute::KernelUnit unit = c.unit();
    std::string key = unit.file;
    for (const fh_constant& k : unit.constants)
      key.append("/").append(std::to_string(k.is_real ? k.real : static_cast<double>(k.integer)));
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    keys.push_back(key);
    units.push_back(unit);
  }
  return units;
}

std::vector<std::byte> to_memory(const Values& values, const fh_kernel_param& p, bool real64) {
  return with_type(p.dtype, real64, [&](auto zero) {
    using T = decltype(zero);
    std::vector<std::byte> memory((values.size() + guard) * sizeof(T));
    for (size_t i = 0; i < values.size() + guard; ++i) {
      const T v = static_cast<T>(i < values.size() ? values[i] : beyond_end(p));
      std::memcpy(memory.data() + i * sizeof v, &v, sizeof v);
    }
    return memory;
  });
}

Values from_memory(std::span<const std::byte> memory, const fh_kernel_param& p, bool real64,
                   const std::string& what) {
  return with_type(p.dtype, real64, [&](auto zero) {
    using T = decltype(zero);
    Values values(memory.size() / sizeof(T));
    for (size_t i = 0; i < values.size(); ++i) {
      T v;
      std::memcpy(&v, memory.data() + i * sizeof v, sizeof v);
      values[i] = static_cast<double>(v);
    }
    for (size_t i = values.size() - guard; i < values.size(); ++i)
      if (!agree(values[i], beyond_end(p), {}))
        throw Error(what + ": the kernel wrote beyond the end of the tensor");
    values.resize(values.size() - guard);
    return values;
  });
}

fh_argument scalar(double value, uint8_t dtype) {
  fh_argument a{};
  with_type(dtype, false, [&](auto zero) {
    const auto v = static_cast<decltype(zero)>(value);
    std::memcpy(&a.scalar, &v, sizeof v);
  });
  return a;
}

std::vector<Arguments> run_cases(std::unique_ptr<compute::Compute> device,
                                 std::span<const KernelCase* const> cases, bool real64) {
  const std::unique_ptr<compute::Compute> compute = std::move(device);
  compute::Tensors tensors;
  compute::Program program{"cases", {}, {}};
  std::vector<std::vector<compute::TensorId>> ids;
  for (const KernelCase* c : cases) {
    compute::Recording recording(program, tensors, *c->library, {"", c->label(), "cases", 1});
    std::vector<fh_argument> arguments;
    ids.emplace_back();
    for (uint32_t i = 0; i < c->kernel->param_count; ++i) {
      const fh_kernel_param& p = c->kernel->params[i];
      ids.back().push_back(0);
      if (p.role == FH_SCALAR) {
        arguments.push_back(scalar(c->arguments.at(i)[0], p.dtype));
        continue;
      }
      compute::TensorSpec spec;
      spec.name = std::to_string(ids.size()) + " " + p.name;
      spec.dtype = static_cast<fh_dtype>(p.dtype);
      spec.shape = shape(static_cast<int64_t>(c->arguments.at(i).size() + guard));
      spec.lifetime = compute::Lifetime::resident;
      const compute::TensorId id = tensors.add(std::move(spec));
      ids.back().back() = id;
      arguments.push_back({p.role == FH_IN ? recording.read(id) : recording.write(id), 0, {}});
    }
    const fh_launch launch{sizeof(fh_launch),
                           c->grid.kind,
                           c->kernel,
                           c->grid.count,
                           arguments.data(),
                           static_cast<uint32_t>(arguments.size()),
                           static_cast<uint32_t>(c->constants.size()),
                           c->constants.data()};
    const Recorder r = recording.recorder();
    if (r.api()->launch(r.handle(), &launch) != FH_OK) throw Error(r.api()->error(r.handle()));
  }
  compute->allocate(tensors);
  const auto each_tensor = [&](auto&& f) {
    for (size_t k = 0; k < cases.size(); ++k)
      for (uint32_t i = 0; i < cases[k]->kernel->param_count; ++i)
        if (ids[k][i] != 0) f(k, i, cases[k]->kernel->params[i]);
  };
  each_tensor([&](size_t k, uint32_t i, const fh_kernel_param& p) {
    const auto memory = to_memory(cases[k]->arguments.at(i), p, real64);
    compute->upload(ids[k][i], memory.data(), memory.size());
  });
  compute->prepare(program)->submit();
  compute->wait_all();

  std::vector<Arguments> results;
  for (const KernelCase* c : cases) results.push_back(c->arguments);
  each_tensor([&](size_t k, uint32_t i, const fh_kernel_param& p) {
    std::vector<std::byte> memory = to_memory(cases[k]->arguments.at(i), p, real64);
    compute->download(ids[k][i], memory.data(), memory.size());
    results[k].at(i) = from_memory(memory, p, real64, cases[k]->label() + ", " + p.name);
  });
  return results;
}

std::string difference(const KernelCase& c, const Arguments& got, bool real64) {
  Arguments expected = c.arguments;
  c.reference(expected);
  std::ostringstream out;
  out.precision(real64 ? 15 : 9);
  for (uint32_t i = 0; i < c.kernel->param_count; ++i) {
    const fh_kernel_param& p = c.kernel->params[i];
    if (p.role == FH_SCALAR) continue;
    const Tolerance t = tolerance_of(c, p, real64);
    size_t wrong = 0, first = 0;
    for (size_t e = 0; e < expected.at(i).size(); ++e)
      if (!agree(got.at(i).at(e), expected.at(i)[e], t) && wrong++ == 0) first = e;
    if (wrong > 0)
      out << c.label() << ": " << p.name << " differs in " << wrong << " of " << expected.at(i).size()
          << " elements, first [" << first << "]: " << got.at(i)[first] << ", expected " << expected.at(i)[first]
          << "\n";
  }
  return out.str();
}

}  // namespace foxhunt::kernels::test
