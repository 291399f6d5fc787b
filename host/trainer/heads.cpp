#include "heads.hpp"

#include <foxhunt/error.hpp>

namespace foxhunt::trainer {

namespace {

template <class T>
void upload_same(compute::Compute& compute, compute::TensorId id, const fh_declared& d) {
  const std::vector<T> values(static_cast<size_t>(compute::elements_of(d.shape)), static_cast<T>(d.value));
  compute.upload(id, values.data(), values.size() * sizeof(T));
}

}  // namespace

void initialise_controllers(compute::Compute& compute, const compute::Tensors& tensors,
                            const std::vector<compute::TensorId>& ids, std::span<const fh_declared> declared) {
  for (size_t i = 0; i < ids.size(); ++i) {
    const fh_declared& d = declared[i];
    if (d.init != FH_INIT_CONSTANT)
      throw Error(tensors[ids[i]].name + " asks for initialiser " + std::to_string(d.init) +
                  "; a controller starts at a constant (FH_INIT_CONSTANT)");
    switch (d.dtype) {
      case FH_F32: upload_same<float>(compute, ids[i], d); break;
      case FH_F64: upload_same<double>(compute, ids[i], d); break;
      case FH_I32: upload_same<int32_t>(compute, ids[i], d); break;
      case FH_U32: upload_same<uint32_t>(compute, ids[i], d); break;
      case FH_I64: upload_same<int64_t>(compute, ids[i], d); break;
      case FH_U64: upload_same<uint64_t>(compute, ids[i], d); break;
      case FH_U8: upload_same<uint8_t>(compute, ids[i], d); break;
    }
  }
}

Head::Head(std::string name, plugins::QHeadInstance instance, Roles roles)
    : record("heads/" + name + "/metrics"),
      name_(std::move(name)),
      prefix_("heads/" + name_),
      instance_(std::move(instance)),
      roles_(roles),
      group_(name_, "/" + prefix_ + "/adam", true) {}

int Head::output_index(std::string_view output) const {
  return instance_.output(output);
}

fh_shape Head::output_shape(std::string_view output, int64_t rows) const {
  const int i = output_index(output);
  if (i < 0) throw Error("head '" + name_ + "' offers no output '" + std::string(output) + "'");
  fh_shape s = instance_.outputs()[static_cast<size_t>(i)].shape;
  if (s.rank > 0 && s.dim[0] < 0) s.dim[0] = rows;
  return s;
}

void Head::declare(compute::Tensors& tensors, const Plan& plan) {
  for (const fh_declared& d : instance_.parameters()) group_.add("/" + prefix_, d);
  group_.declare(tensors);
  for (const fh_declared& d : instance_.controllers()) {
    compute::TensorSpec spec;
    spec.name = "/" + prefix_ + "/controllers/" + d.name;
    spec.dtype = static_cast<fh_dtype>(d.dtype);
    spec.shape = d.shape;
    spec.lifetime = compute::Lifetime::state;
    controllers_.push_back(tensors.add(std::move(spec)));
  }
  compute::TensorSpec losses;
  losses.name = prefix_ + "/losses";
  losses.shape = shape(plan.replay_updates, plan.replay.batch);
  losses_ = tensors.add(std::move(losses));
}

void Head::initialise(compute::Compute& compute, const compute::Tensors& tensors, uint64_t seed) const {
  group_.initialise(compute, tensors, seed);
  initialise_controllers(compute, tensors, controllers_, instance_.controllers());
}

void Head::record_infer(compute::Recording& recording, fh_tensor h, fh_tensor value, compute::TensorId step, uint32_t salt,
                        const std::vector<Wanted>& wanted) const {
  std::vector<fh_tensor> weights, controllers, outputs(instance_.outputs().size(), 0);
  for (const compute::TensorId id : controllers_) controllers.push_back(recording.read(id));
  for (size_t i = 0; i < group_.size(); ++i) weights.push_back(recording.read(group_.online(i)));
  for (const Wanted& w : wanted) outputs[static_cast<size_t>(output_index(w.name))] = w.to;
  fh_infer io{};
  io.size = sizeof io;
  io.salt = salt;
  io.weights = weights.data();
  io.outputs = outputs.data();
  io.h = h;
  io.value = value;
  io.controllers = controllers.data();
  io.step = recording.read(step);
  instance_.infer(recording, io);
}

void Head::record_learn(HeadRecordings& own, compute::Recording& main, const agent::Batch& batch,
                        const std::pair<fh_tensor, fh_tensor>& values, compute::TensorId step, const Plan& plan,
                        compute::TensorId ring, compute::TensorId learning_rate, uint32_t update, const Gradients& to) const {
  compute::Recording& mine = own.plugin;
  std::vector<fh_tensor> online, target, gradient, controllers;
  for (size_t i = 0; i < group_.size(); ++i) {
    online.push_back(mine.read(group_.online(i)));
    target.push_back(mine.read(group_.target(i)));
    gradient.push_back(mine.write(group_.gradient(i)));
  }
  for (const compute::TensorId id : controllers_) controllers.push_back(mine.write(id));
  const auto give = [&](fh_tensor handle) { return mine.read(main.operand(handle)); };
  fh_learn io{};
  io.size = sizeof io;
  io.salt = update;
  io.online = online.data();
  io.target = target.data();
  io.gradient = gradient.data();
  io.controllers = controllers.data();
  io.h = give(batch.state);
  io.h_next = give(batch.next_state);
  if (batch.select) io.h_select = give(batch.select);
  io.action = give(batch.action);
  io.reward = give(batch.reward);
  io.discount = give(batch.discount);
  io.step = mine.read(step);
  io.loss = mine.recorder().slice(mine.write(losses_), update);
  if (to.h) io.grad_h = mine.write(main.operand(to.h));
  if (values.first) io.value = give(values.first);
  if (values.second) io.value_next = give(values.second);
  if (to.value) io.grad_value = mine.write(main.operand(to.value));
  instance_.learn(mine, io);

  group_.record_step(own.program, plan.q_adam, own.program.read(learning_rate), ring, plan.replay_start);
  group_.record_soft_update(own.program, plan.q_tau, plan.q_target_every);
}

}  // namespace foxhunt::trainer
