#pragma once
#include <algorithm>

#include "rig.hpp"

namespace foxhunt::plugins {

/// One Q head with all that it reads and writes: records its infer (on h) and its learn, runs them.
/// `given`: random numbers that the head does not draw, but finds in `noise(name)`; "h_select": it gets one.
class HeadRig : public Rig {
 public:
  HeadRig(const std::string& plugin, const std::vector<std::pair<std::string, std::string>>& settings,
          int64_t batch_, int64_t hidden, int64_t actions, compute::Profile profile = compute::Profile::fast,
          int threads = 2, Registry& registry = built_plugins(), std::vector<std::string> given = {})
      : Rig(profile, threads),
        batch(batch_),
        head(registry.open(FH_Q_HEAD, plugin), "head", {hidden, actions, 0.99},
             options_for(registry.open(FH_Q_HEAD, plugin), settings)),
        given_(std::move(given)) {
    for (const fh_declared& d : head.parameters()) {
      online.push_back(add(std::string("online/") + d.name, d.shape));
      target.push_back(add(std::string("target/") + d.name, d.shape));
      gradient.push_back(add(std::string("gradient/") + d.name, d.shape));
    }
    for (const fh_declared& d : head.controllers()) controllers.push_back(add(std::string("controller/") + d.name, d.shape));
    for (const fh_output& o : head.outputs()) {
      fh_shape s = o.shape;
      if (s.dim[0] == -1) s.dim[0] = batch;
      outputs.push_back(add(std::string("output/") + o.name, s));
    }
    h = add("h", shape(batch, hidden));
    h_next = add("h_next", shape(batch, hidden));
    if (std::find(given_.begin(), given_.end(), "h_select") != given_.end()) h_select = add("h_select", shape(batch, hidden));
    action = add("action", shape(batch), FH_I32);
    reward = add("reward", shape(batch));
    discount = add("discount", shape(batch));
    step = add("step", shape(1), FH_U64);
    loss = add("loss", shape(batch));
    grad_h = add("grad_h", shape(batch, hidden));
    if (head.reads_value()) {
      value = add("value", shape(batch));
      value_next = add("value_next", shape(batch));
      grad_value = add("grad_value", shape(batch));
    }
    fh_shape t = head.target_shape();
    if (t.rank > 0) t.dim[0] = batch;
    target_out = add("target_out", t);
    compute::Program infer_program, learn_program;
    record_infer(infer_program);
    record_learn(learn_program);
    allocate();
    for (size_t i = 0; i < controllers.size(); ++i)
      set(controllers[i], std::vector<double>(count(controllers[i]), head.controllers()[i].value));
    infer_ = prepare(infer_program);
    learn_ = prepare(learn_program);
  }

  void infer() { infer_->submit(); }
  void learn() { learn_->submit(); }
  std::vector<double> output(const std::string& name) const {
    return get(outputs.at(static_cast<size_t>(head.output(name))));
  }
  compute::TensorId noise(const std::string& name) const { return tensors.find("noise/" + name); }
  /// A tensor of the head's own working memory in learn.
  compute::TensorId learn_scratch(const std::string& name) const {
    return tensors.find("heads/head/learn_" + std::to_string(batch) + "/" + name);
  }
  size_t count(compute::TensorId id) const {
    return static_cast<size_t>(compute::elements_of(tensors[id].shape));
  }

  int64_t batch;
  QHeadInstance head;
  std::vector<compute::TensorId> online, target, gradient, controllers, outputs;
  compute::TensorId h_select = 0;                              ///< if given
  compute::TensorId value = 0, value_next = 0, grad_value = 0;  ///< if the head reads the value
  compute::TensorId h, h_next, action, reward, discount, step, loss, grad_h, target_out;

 private:
  using Handles = std::vector<fh_tensor>;

  compute::Recording recording(compute::Program& program) {
    return {program, tensors, head.kernels(), {"head", "heads/head", "heads/head", 1}};
  }
  compute::Recording::Noise noise_for(const std::string& name, const fh_shape& s) {
    if (std::find(given_.begin(), given_.end(), name) == given_.end()) return {};
    return {add("noise/" + name, s), true};
  }
  void record_infer(compute::Program& program) {
    compute::Recording r = recording(program);
    r.set_noise_source([this](const std::string& name, const fh_shape& s) { return noise_for(name, s); });
    Handles weights, out, state;
    for (const auto id : controllers) state.push_back(r.read(id));
    for (const auto id : online) weights.push_back(r.read(id));
    for (const auto id : outputs) out.push_back(r.write(id));
    fh_infer io{};
    io.weights = weights.data();
    io.controllers = state.data();
    io.outputs = out.data();
    io.h = r.read(h);
    io.step = r.read(step);
    if (value) io.value = r.read(value);
    head.infer(r, io);
  }
  void record_learn(compute::Program& program) {
    compute::Recording r = recording(program);
    r.set_noise_source([this](const std::string& name, const fh_shape& s) { return noise_for(name, s); });
    Handles on, to, gr, state;
    for (const auto id : controllers) state.push_back(r.write(id));
    for (const auto id : online) on.push_back(r.read(id));
    for (const auto id : target) to.push_back(r.read(id));
    for (const auto id : gradient) gr.push_back(r.write(id));
    fh_learn io{};
    io.online = on.data();
    io.target = to.data();
    io.gradient = gr.data();
    io.controllers = state.data();
    io.h = r.read(h);
    io.h_next = r.read(h_next);
    if (h_select) io.h_select = r.read(h_select);
    io.action = r.read(action);
    io.reward = r.read(reward);
    io.discount = r.read(discount);
    io.step = r.read(step);
    io.loss = r.write(loss);
    io.grad_h = r.write(grad_h);
    io.target_out = r.write(target_out);
    if (value) {
      io.value = r.read(value);
      io.value_next = r.read(value_next);
      io.grad_value = r.write(grad_value);
    }
    head.learn(r, io);
  }

  std::vector<std::string> given_;
  std::unique_ptr<compute::Executable> infer_, learn_;
};

}  // namespace foxhunt::plugins
