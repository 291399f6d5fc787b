#include "workbench.hpp"

#include <foxhunt/error.hpp>

#include "../common/text.hpp"
#include "numbers.hpp"

namespace foxhunt::probe {

using compute::TensorId;

Workbench::Workbench(const compute::Options& options, uint64_t seed, GivenNoise given)
    : real64_(options.profile == compute::Profile::real64),
      seed_(seed),
      given_(std::move(given)),
      compute_(compute::open(options)),
      step_(add("step", FH_U64, shape(), {})) {}

TensorId Workbench::add(const std::string& name, fh_dtype dtype, const fh_shape& shape, const std::vector<std::string>& axes) {
  compute::TensorSpec spec;
  spec.name = name;
  spec.dtype = dtype;
  spec.shape = shape;
  for (size_t i = 0; i < axes.size() && i < spec.axes.size(); ++i) spec.axes[i] = axes[i];
  spec.lifetime = compute::Lifetime::resident;
  return tensors_.add(std::move(spec));
}

TensorId Workbench::input(const std::string& path, const Values& v) {
  const TensorId id = in_[path] = add("in" + path, v.dtype, v.shape, v.axes);
  initial_inputs_[id] = v.data;
  return id;
}

TensorId Workbench::output(const std::string& path, fh_dtype dtype, const fh_shape& shape, std::vector<std::string> axes) {
  return out_[path] = add("out" + path, dtype, shape, axes);
}

TensorId Workbench::state(const std::string& path, const Values& v) {
  const TensorId id = output(path, v.dtype, v.shape, v.axes);
  initial_states_[id] = v.data;
  return id;
}

TensorId Workbench::find_input(const std::string& path) const {
  const auto it = in_.find(path);
  return it == in_.end() ? 0 : it->second;
}

compute::Recording::Noise Workbench::noise(const std::string& name, const fh_shape& shape) {
  const std::string path = "/" + name;
  TensorId id = find_input(path);
  const bool known = id != 0;
  if (!known)
    if (const auto drawn = out_.find(path); drawn != out_.end()) id = drawn->second;
  if (id == 0) {
    Values v{FH_F32, shape, {}, {}};
    if (given_ && given_(path, v)) return {input(path, v), true};
    return {output(path, FH_F32, shape), false};
  }
  if (compute::to_string(tensors_[id].shape) != compute::to_string(shape))
    throw Error(text("the random numbers '", name, "' are asked for as ", compute::to_string(shape), " and as ",
                     compute::to_string(tensors_[id].shape), "; numbers of two shapes need two names"));
  return {id, known};
}

std::unique_ptr<compute::Recording> Workbench::record(compute::Program& program, const compute::KernelLibrary& kernels,
                                                      const std::string& name, const std::string& step) {
  compute::Recording::Identity identity{name, step, "probe/" + name, seed_};
  auto recording = std::make_unique<compute::Recording>(program, tensors_, kernels, std::move(identity));
  recording->set_noise_source([this](const std::string& n, const fh_shape& s) { return noise(n, s); });
  return recording;
}

void Workbench::start() {
  compute_->allocate(tensors_);
  for (const auto& [id, values] : initial_inputs_) upload(id, values);
  reset();
}

void Workbench::reset() {
  for (const auto& [id, values] : initial_states_) upload(id, values);
}

void Workbench::run(const compute::Program& program) {
  const auto executable = prepare(program);
  executable->submit();
  compute_->wait_all();
}

fh_dtype Workbench::held(TensorId id) const {
  return real64_ && tensors_[id].dtype == FH_F32 ? FH_F64 : tensors_[id].dtype;
}

void Workbench::upload(TensorId id, const std::vector<double>& values) {
  const std::vector<std::byte> bytes = to_bytes(held(id), values);
  compute_->upload(id, bytes.data(), bytes.size());
}

Values Workbench::download(TensorId id) {
  const compute::TensorSpec& spec = tensors_[id];
  Values v{spec.dtype, spec.shape, {}, {}};
  for (uint32_t i = 0; i < spec.shape.rank && !spec.axes[i].empty(); ++i) v.axes.push_back(spec.axes[i]);
  if (v.axes.size() != spec.shape.rank) v.axes.clear();
  const size_t size = held(id) == FH_F64 ? sizeof(double) : compute::bytes_of(spec.dtype);
  std::vector<std::byte> bytes(static_cast<size_t>(compute::elements_of(spec.shape)) * size);
  compute_->download(id, bytes.data(), bytes.size());
  v.data = from_bytes(held(id), bytes);
  return v;
}

Contents Workbench::outputs() {
  Contents all;
  for (const auto& [path, id] : out_) all[path] = download(id);
  return all;
}

}  // namespace foxhunt::probe
