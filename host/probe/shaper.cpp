#include "shaper.hpp"

#include "../common/text.hpp"

namespace foxhunt::probe {

Inputs inputs_of(const plugins::RewardShaperInstance& shaper, int64_t count) {
  Inputs in;
  in.required = {{"/reward", {FH_F32, shape(count), {"sample"}, {}}}};
  for (const fh_declared& d : shaper.controllers())
    in.optional[text("/", d.name)] = {static_cast<fh_dtype>(d.dtype), d.shape, {}, {}};
  return in;
}

void run(Workbench& bench, const plugins::RewardShaperInstance& shaper, const Contents& inputs) {
  compute::Program program;
  const auto recording = bench.record(program, shaper.kernels(), shaper.name(), "shape");
  compute::Recording& r = *recording;
  const Values& reward = inputs.at("/reward");
  std::vector<fh_tensor> controllers;
  for (const fh_declared& d : shaper.controllers()) {
    const std::string path = text("/", d.name);
    const auto given = inputs.find(path);
    const std::vector<double> initial(static_cast<size_t>(compute::elements_of(d.shape)), d.value);
    const Values values = given != inputs.end() ? given->second : Values{static_cast<fh_dtype>(d.dtype), d.shape, {}, initial};
    controllers.push_back(r.write(bench.input(path, values)));
  }
  fh_shape_reward io{};
  io.controllers = controllers.data();
  io.reward = r.read(bench.input("/reward", reward));
  io.shaped = r.write(bench.output("/shaped", FH_F32, reward.shape, reward.axes));
  io.step = r.read(bench.step());
  io.update_controllers = 0;
  shaper.shape(r, io);
  bench.start();
  bench.run(program);
}

}  // namespace foxhunt::probe
