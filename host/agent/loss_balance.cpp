#include "loss_balance.hpp"

#include <algorithm>

#include "../kernels/optimizer.hpp"

namespace foxhunt::agent {

void LossBalance::declare(compute::Tensors& tensors, const std::string& name, const Settings& settings) {
  name_ = name;
  settings_ = settings;
  if (!on()) return;
  compute::TensorSpec spec;
  spec.name = "/controllers/balance/" + name;
  spec.dtype = FH_F64;
  spec.shape = shape(5);
  spec.unit = "weight, mean norm of the policy's gradient, its count, mean norm of this loss's, its count";
  spec.lifetime = compute::Lifetime::state;
  state_ = tensors.add(std::move(spec));
}

void LossBalance::initialise(compute::Compute& compute) const {
  if (!on()) return;
  const double start[5] = {1, 0, 0, 0, 0};
  compute.upload(state_, start, sizeof start);
}

fh_tensor LossBalance::squares_of(compute::Recording& recording, const std::string& name, fh_tensor values) const {
  Recorder r = recording.recorder();
  const int64_t n = elements(r.shape_of(values)), parts = std::clamp<int64_t>(n / 1024, 1, 64);
  const fh_tensor squares = r.scratch(("balance_" + name_ + "_" + name).c_str(), shape(parts), FH_F64);
  r.launch(kernels::partial_squares, Grid::blocks(parts), {in(values), out(squares), i32(n), i32(parts)});
  return squares;
}

void LossBalance::observe(compute::Recording& recording, fh_tensor squares, fh_tensor factors, bool of_policy, bool weighted) const {
  Recorder r = recording.recorder();
  r.launch(kernels::balance_observe, Grid::elements(1),
           {in(squares), in(factors ? factors : squares), inout(recording.write(state_)), f64(settings_.ratio), f64(settings_.limit),
            f64(settings_.rate), i32(elements(r.shape_of(squares))), i32(factors ? elements(r.shape_of(factors)) : 0),
            i32(of_policy ? 1 : 0), i32(weighted ? 1 : 0)});
}

void LossBalance::record_policy(compute::Recording& recording, fh_tensor gradient) const {
  observe(recording, squares_of(recording, "policy", gradient), 0, true, false);
}

void LossBalance::record_policy_squares(compute::Recording& recording, fh_tensor squares) const {
  observe(recording, squares, 0, true, false);
}

void LossBalance::record_loss(compute::Recording& recording, fh_tensor gradient, fh_tensor factor) const {
  const fh_tensor squares = squares_of(recording, "loss", gradient);
  observe(recording, squares, squares_of(recording, "factor", factor), false, false);
}

void LossBalance::record_weighted_squares(compute::Recording& recording, fh_tensor squares) const {
  observe(recording, squares, 0, false, true);
}

void LossBalance::record_scale(compute::Recording& recording, fh_tensor values) const {
  Recorder r = recording.recorder();
  const int64_t n = elements(r.shape_of(values));
  r.launch(kernels::balance_scale, Grid::elements(n), {in(recording.read(state_)), inout(values), i32(n)});
}

}  // namespace foxhunt::agent
