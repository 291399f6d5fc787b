#include "head.hpp"

#include "../common/text.hpp"

namespace foxhunt::probe {

using compute::TensorId;

namespace {

std::vector<std::string> axes_of(const fh_declared& d) {
  std::vector<std::string> axes;
  for (uint32_t i = 0; i < d.shape.rank && d.axes[i]; ++i) axes.push_back(d.axes[i]);
  return axes.size() == d.shape.rank ? axes : std::vector<std::string>();
}

fh_shape with_batch(fh_shape s, int64_t batch) {
  if (s.rank > 0 && s.dim[0] < 0) s.dim[0] = batch;
  return s;
}

std::vector<std::string> output_axes(const fh_output& output) {
  static const std::map<std::string, std::vector<std::string>, std::less<>> known = {
      {"expected_q", {"batch", "action"}},
      {"variance_q", {"batch", "action"}},
      {"advantage", {"batch", "action"}},
      {"state_value", {"batch"}},
      {"log_probs", {"batch", "action", "atom"}},
      {"quantiles", {"batch", "quantile", "action"}},
      {"support", {"atom"}}};
  const auto it = known.find(output.name);
  return it == known.end() ? std::vector<std::string>() : it->second;
}

void record_infer(Workbench& bench, const plugins::QHeadInstance& head, int64_t batch, const std::vector<TensorId>& states,
                  compute::Program& program) {
  const auto recording = bench.record(program, head.kernels(), head.name(), "infer");
  compute::Recording& r = *recording;
  std::vector<fh_tensor> weights, outputs;
  for (const fh_declared& d : head.parameters())
    weights.push_back(r.read(bench.find_input(text("/weights/online/", d.name))));
  for (const fh_output& o : head.outputs())
    outputs.push_back(r.write(bench.output(text("/", o.name), FH_F32, with_batch(o.shape, batch), output_axes(o))));
  std::vector<fh_tensor> controllers;
  for (const TensorId id : states) controllers.push_back(r.read(id));
  fh_infer io{};
  io.controllers = controllers.data();
  io.weights = weights.data();
  io.outputs = outputs.data();
  io.h = r.read(bench.find_input("/h"));
  if (const TensorId value = bench.find_input("/value")) io.value = r.read(value);
  io.step = r.read(bench.step());
  head.infer(r, io);
}

void record_learn(Workbench& bench, const plugins::QHeadInstance& head, int64_t batch, TensorId discount,
                  const std::vector<TensorId>& states, compute::Program& program) {
  const auto recording = bench.record(program, head.kernels(), head.name(), "learn");
  compute::Recording& r = *recording;
  const auto given = [&](const char* path) {
    const TensorId id = bench.find_input(path);
    return id ? r.read(id) : 0;
  };
  std::vector<fh_tensor> online, target, gradient, controllers;
  for (const fh_declared& d : head.parameters()) {
    online.push_back(r.read(bench.find_input(text("/weights/online/", d.name))));
    target.push_back(r.read(bench.find_input(text("/weights/target/", d.name))));
    gradient.push_back(r.write(bench.output(text("/grad/", d.name), FH_F32, d.shape, axes_of(d))));
  }
  for (const TensorId id : states) controllers.push_back(r.write(id));
  const fh_shape h = r.recorder().shape_of(given("/h"));
  fh_learn io{};
  io.online = online.data();
  io.target = target.data();
  io.gradient = gradient.data();
  io.controllers = controllers.data();
  io.h = given("/h");
  io.h_next = given("/h_next");
  io.action = given("/action");
  io.reward = given("/reward");
  io.discount = r.read(discount);
  io.step = r.read(bench.step());
  io.loss = r.write(bench.output("/loss", FH_F32, shape(batch), {"batch"}));
  io.grad_h = r.write(bench.output("/grad_h", FH_F32, h, {"batch", "hidden"}));
  if (head.target_shape().rank > 0)
    io.target_out = r.write(bench.output("/target", FH_F32, with_batch(head.target_shape(), batch)));
  io.value = given("/value");
  io.value_next = given("/value_next");
  if (io.value) io.grad_value = r.write(bench.output("/grad_value", FH_F32, shape(batch), {"batch"}));
  head.learn(r, io);
}

}  // namespace

Inputs inputs_of(const plugins::QHeadInstance& head, int64_t batch, int64_t hidden, int64_t actions) {
  const Values features{FH_F32, shape(batch, hidden), {"batch", "hidden"}, {}};
  const Values numbers{FH_F32, shape(batch), {"batch"}, {}};
  Inputs in;
  in.required = {{"/h", features},
                 {"/h_next", features},
                 {"/action", {FH_I32, shape(batch), {"batch"}, {}, 0, static_cast<double>(actions - 1)}},
                 {"/reward", numbers},
                 {"/terminated", {FH_U8, shape(batch), {"batch"}, {}, 0, 1}}};
  for (const char* net : {"online", "target"})
    for (const fh_declared& d : head.parameters())
      in.required[text("/weights/", net, "/", d.name)] = {FH_F32, d.shape, axes_of(d), {}};
  for (const char* path : {"/value", "/value_next"}) (head.reads_value() ? in.required : in.optional)[path] = numbers;
  for (const fh_declared& d : head.controllers())
    in.optional[text("/controllers/", d.name)] = {static_cast<fh_dtype>(d.dtype), d.shape, {}, {}};
  return in;
}

HeadRun::HeadRun(Workbench& bench, const plugins::QHeadInstance& head, const Contents& inputs, double gamma) {
  for (const auto& [path, values] : inputs)
    if (!path.starts_with("/controllers/")) bench.input(path, values);
  const Values& terminated = inputs.at("/terminated");
  Values discounts{FH_F32, terminated.shape, {}, {}};
  for (const double t : terminated.data) discounts.data.push_back(t != 0 ? 0 : gamma);
  const TensorId discount = bench.input("discount", discounts);
  std::vector<TensorId> states;
  for (const fh_declared& d : head.controllers()) {
    const std::string path = text("/controllers/", d.name);
    const auto given = inputs.find(path);
    const std::vector<double> initial(static_cast<size_t>(compute::elements_of(d.shape)), d.value);
    states.push_back(bench.state(path, given != inputs.end()
                                           ? given->second
                                           : Values{static_cast<fh_dtype>(d.dtype), d.shape, {}, initial}));
  }
  const int64_t batch = terminated.shape.dim[0];
  compute::Program infer, learn;
  record_infer(bench, head, batch, states, infer);
  record_learn(bench, head, batch, discount, states, learn);
  bench.start();
  infer_ = bench.prepare(infer);
  learn_ = bench.prepare(learn);
}

}  // namespace foxhunt::probe
