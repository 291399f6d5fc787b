#include "sizer.hpp"

#include <cmath>

namespace foxhunt::probe {

namespace {

struct Need {
  uint32_t bit;
  const char* path;
  fh_tensor fh_size_position::*to;
};
constexpr Need kNeeds[] = {{FH_NEEDS_VARIANCE_Q, "/variance_q", &fh_size_position::variance_q},
                           {FH_NEEDS_EXPECTED_Q, "/expected_q", &fh_size_position::expected_q},
                           {FH_NEEDS_LOG_PROBS, "/log_probs", &fh_size_position::log_probs},
                           {FH_NEEDS_SUPPORT, "/support", &fh_size_position::support}};

}  // namespace

Inputs inputs_of(const plugins::PositionSizerInstance& sizer, int64_t batch, int64_t actions, int64_t atoms) {
  const Values moments{FH_F32, shape(batch, actions), {"batch", "action"}, {}};
  const Contents all = {{"/variance_q", moments},
                        {"/expected_q", moments},
                        {"/log_probs", {FH_F32, shape(batch, actions, atoms), {"batch", "action", "atom"}, {}}},
                        {"/support", {FH_F32, shape(atoms), {"atom"}, {}}}};
  Inputs in;
  in.required = {{"/action", {FH_I32, shape(batch), {"batch"}, {}, 0, static_cast<double>(actions - 1)}},
                 {"/target_position", {FH_F32, shape(batch), {"batch"}, {}}}};
  for (const Need& need : kNeeds)
    if (sizer.needs() & need.bit) in.required[need.path] = all.at(need.path);
  return in;
}

Moments moments(const Values& log_probs, const Values& support) {
  const size_t atoms = support.data.size();
  Moments m;
  for (size_t row = 0; row < log_probs.data.size(); row += atoms) {
    double mean = 0, variance = 0;
    for (size_t z = 0; z < atoms; ++z) mean += std::exp(log_probs.data[row + z]) * support.data[z];
    for (size_t z = 0; z < atoms; ++z)
      variance += std::exp(log_probs.data[row + z]) * (support.data[z] - mean) * (support.data[z] - mean);
    m.mean.push_back(mean);
    m.variance.push_back(variance);
  }
  return m;
}

void run(Workbench& bench, const plugins::PositionSizerInstance& sizer, const Contents& inputs) {
  compute::Program program;
  const auto recording = bench.record(program, sizer.kernels(), sizer.name(), "size");
  compute::Recording& r = *recording;
  for (const auto& [path, values] : inputs) bench.input(path, values);
  const fh_shape batch = inputs.at("/action").shape;
  fh_size_position io{};
  for (const Need& need : kNeeds)
    if (sizer.needs() & need.bit) io.*need.to = r.read(bench.find_input(need.path));
  io.action = r.read(bench.find_input("/action"));
  io.target_position = r.read(bench.find_input("/target_position"));
  io.scale = r.write(bench.output("/scale", FH_F32, batch, {"batch"}));
  io.position = r.write(bench.output("/position", FH_F32, batch, {"batch"}));
  io.step = r.read(bench.step());
  sizer.apply(r, io);
  bench.start();
  bench.run(program);
}

}  // namespace foxhunt::probe
