#include "parameters.hpp"

#include <algorithm>
#include <foxhunt/error.hpp>

#include "../kernels/diagnostics.hpp"
#include "../kernels/optimizer.hpp"

namespace foxhunt::agent {

namespace {

// Tensors begin on 256-byte borders: vector loads and tensor cores want it. The padding stays 0 for good, since
// its gradient is never written.
constexpr int64_t kAlignment = 64;

compute::TensorSpec flat(const std::string& name, int64_t n, compute::Lifetime lifetime) {
  compute::TensorSpec spec;
  spec.name = name;
  spec.shape = shape(n);
  spec.lifetime = lifetime;
  return spec;
}

}  // namespace

size_t ParameterGroup::add(const std::string& path, const fh_declared& declared, bool target) {
  if (declared.dtype != FH_F32)
    throw Error("parameter '" + std::string(declared.name) + "' of " + path + " is declared as " +
                compute::name_of(static_cast<fh_dtype>(declared.dtype)) + "; parameters are f32");
  Entry e;
  e.path = path;
  e.name = declared.name;
  e.full_name = path + "/online/" + e.name;
  e.declared = declared;
  e.has_target = target;
  for (uint32_t d = 0; d < declared.shape.rank; ++d) e.axes.push_back(declared.axes[d] ? declared.axes[d] : "");
  e.offset = storage_;
  e.length = compute::elements_of(declared.shape);
  e.declared.name = nullptr;  // the caller's strings need not outlive the call
  for (const char*& axis : e.declared.axes) axis = nullptr;
  storage_ += (e.length + kAlignment - 1) / kAlignment * kAlignment;
  entries_.push_back(std::move(e));
  return entries_.size() - 1;
}

void ParameterGroup::declare(compute::Tensors& tensors) {
  using compute::Lifetime;
  const std::string storage = "storage/" + name_ + "/";
  online_ = tensors.add(flat(storage + "online", storage_, Lifetime::resident));
  const bool any_target = std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.has_target; });
  if (any_target) target_ = tensors.add(flat(storage + "target", storage_, Lifetime::resident));
  gradient_ = tensors.add(flat(storage + "gradient", storage_, Lifetime::resident));
  m_ = tensors.add(flat(storage + "adam_m", storage_, Lifetime::resident));
  v_ = tensors.add(flat(storage + "adam_v", storage_, Lifetime::resident));
  for (Entry& e : entries_) {
    const auto window = [&](compute::TensorId parent, const std::string& name, Lifetime lifetime) {
      compute::TensorSpec spec;
      spec.name = name;
      spec.shape = e.declared.shape;
      for (size_t d = 0; d < e.axes.size(); ++d) spec.axes[d] = e.axes[d];
      spec.lifetime = lifetime;
      spec.parent = parent;
      spec.parent_offset = e.offset;
      return tensors.add(std::move(spec));
    };
    e.online = window(online_, e.full_name, Lifetime::state);
    if (e.has_target) e.target = window(target_, e.path + "/target/" + e.name, Lifetime::state);
    e.m = window(m_, e.path + "/adam/m/" + e.name, Lifetime::state);
    e.v = window(v_, e.path + "/adam/v/" + e.name, Lifetime::state);
    e.gradient = window(gradient_, storage + "gradient" + e.path + "/" + e.name, Lifetime::resident);
  }
  const auto count = static_cast<int64_t>(entries_.size());
  const auto scalar = [&](const std::string& name, fh_dtype dtype, int64_t n, Lifetime lifetime) {
    compute::TensorSpec spec = flat(name, n, lifetime);
    spec.dtype = dtype;
    return tensors.add(std::move(spec));
  };
  t_ = scalar(optimizer_ + "/t", FH_U64, 1, Lifetime::state);
  beta_power_ = scalar(optimizer_ + "/beta_power", FH_F64, 2, Lifetime::state);
  scalars_ = scalar(storage + "adam_scalars", FH_F32, 4, Lifetime::scratch);
  segments_ = scalar(storage + "segments", FH_I64, 2 * count, Lifetime::resident);
  gradient_squares_ = scalar(storage + "gradient_squares", FH_F64, count, Lifetime::scratch);
  weight_squares_ = scalar(storage + "weight_squares", FH_F64, count, Lifetime::scratch);
  before_ = tensors.add(flat(storage + "before", storage_, Lifetime::scratch));
  update_ratios_ = scalar(storage + "update_ratios", FH_F64, count, Lifetime::scratch);
}

void ParameterGroup::upload_constants(compute::Compute& compute) const {
  std::vector<int64_t> segments;
  for (const Entry& e : entries_) segments.insert(segments.end(), {e.offset, e.length});
  compute.upload(segments_, segments.data(), segments.size() * sizeof(int64_t));
}

void ParameterGroup::initialise(compute::Compute& compute, const compute::Tensors& tensors, uint64_t seed) const {
  for (const Entry& e : entries_) {
    const std::vector<float> values = initial_values(e.declared, seed, e.full_name);
    const size_t bytes = values.size() * sizeof(float);
    if (bytes != tensors.bytes(e.online)) throw Error("internal: size of " + e.full_name);
    compute.upload(e.online, values.data(), bytes);
    if (e.has_target) compute.upload(e.target, values.data(), bytes);
  }
  const double ones[2] = {1, 1};
  compute.upload(beta_power_, ones, sizeof ones);
}

void ParameterGroup::record_squares(compute::Recording& recording) const {
  recording.recorder().launch(
      kernels::segment_squares, Grid::blocks(static_cast<int64_t>(entries_.size())),
      {in(recording.read(gradient_)), in(recording.read(segments_)), out(recording.write(gradient_squares_))});
}

void ParameterGroup::record_adam(compute::Recording& recording, const AdamSettings& s, fh_tensor learning_rate,
                                 compute::TensorId ring, int64_t start, const ParameterGroup* with) const {
  Recorder r = recording.recorder();
  r.launch(kernels::adam_begin, Grid::elements(1),
           {in(learning_rate), in(recording.read(gradient_squares_)),
            in(recording.read(with ? with->gradient_squares_ : gradient_squares_)), in(recording.read(ring)),
            inout(recording.write(t_)), inout(recording.write(beta_power_)), out(recording.write(scalars_)), f64(s.beta1),
            f64(s.beta2), f64(s.clip), i32(entries_.size()), i32(with ? with->entries_.size() : 0), i32(start)});
  r.launch(kernels::adam_step, Grid::elements(storage_),
           {in(recording.read(gradient_)), in(recording.read(scalars_)), inout(recording.write(online_)),
            inout(recording.write(m_)), inout(recording.write(v_)), f32(s.beta1), f32(s.beta2), f32(s.epsilon),
            i32(storage_)});
}

void ParameterGroup::record_step(compute::Recording& recording, const AdamSettings& s, fh_tensor learning_rate,
                                 compute::TensorId ring, int64_t start) const {
  record_squares(recording);
  record_adam(recording, s, learning_rate, ring, start, nullptr);
}

void ParameterGroup::record_joint_step(compute::Recording& recording, const ParameterGroup& a, const ParameterGroup& b,
                                       const AdamSettings& s, fh_tensor learning_rate, compute::TensorId ring, int64_t start) {
  a.record_squares(recording);
  b.record_squares(recording);
  a.record_adam(recording, s, learning_rate, ring, start, &b);
  b.record_adam(recording, s, learning_rate, ring, start, &a);
}

void ParameterGroup::record_soft_update(compute::Recording& recording, double tau, int64_t every) const {
  recording.recorder().launch(kernels::soft_update, Grid::elements(storage_),
                              {in(recording.read(online_)), in(recording.read(scalars_)), in(recording.read(t_)),
                               inout(recording.write(target_)), f32(tau), i32(every), i32(storage_)});
}

void ParameterGroup::record_weight_squares(compute::Recording& recording) const {
  recording.recorder().launch(
      kernels::segment_squares, Grid::blocks(static_cast<int64_t>(entries_.size())),
      {in(recording.read(online_)), in(recording.read(segments_)), out(recording.write(weight_squares_))});
}

void ParameterGroup::record_remember(compute::Recording& recording) const {
  recording.recorder().copy(recording.write(before_), recording.read(online_));
}

void ParameterGroup::record_update_ratios(compute::Recording& recording) const {
  recording.recorder().launch(kernels::segment_change, Grid::blocks(static_cast<int64_t>(entries_.size())),
                              {in(recording.read(before_)), in(recording.read(online_)), in(recording.read(segments_)),
                               out(recording.write(update_ratios_))});
}

}  // namespace foxhunt::agent
