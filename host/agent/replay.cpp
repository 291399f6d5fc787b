#include "replay.hpp"

#include "../kernels/replay.hpp"

namespace foxhunt::agent {

void Replay::declare(compute::Tensors& tensors, const Settings& settings) {
  settings_ = settings;
  const int64_t n = settings.capacity;
  const auto add = [&](const std::string& name, fh_dtype dtype, fh_shape s, const char* unit) {
    compute::TensorSpec spec;
    spec.name = "/replay/" + name;
    spec.dtype = dtype;
    spec.shape = s;
    spec.axes = {"transition", "feature"};
    spec.unit = unit;
    spec.lifetime = settings.in_checkpoint ? compute::Lifetime::state : compute::Lifetime::resident;
    return tensors.add(std::move(spec));
  };
  const std::string state = settings.state;
  ring_ = add("ring", FH_I32, shape(2), "next slot, transitions held");
  state_ = add(state, FH_F32, shape(n, settings.width), "");
  next_state_ = add(state + "_next", FH_F32, shape(n, settings.width), "");
  action_ = add("action", FH_I32, shape(n), "");
  reward_ = add("reward", FH_F32, shape(n), "shaped, scaled, discounted sum of n steps");
  discount_ = add("discount", FH_F32, shape(n), "gamma^n, 0 where terminated");
}

void Replay::record_append(compute::Recording& recording, fh_tensor states, fh_tensor action, fh_tensor reward,
                           fh_tensor done, fh_tensor valid) const {
  Recorder r = recording.recorder();
  const fh_shape s = r.shape_of(action);
  const int64_t accounts = s.dim[1], horizon = s.dim[0] - settings_.n_step + 1, samples = horizon * accounts;
  const std::vector<fh_constant> width{constant("WIDTH", settings_.width)};
  const fh_tensor slot = r.scratch("slot", shape(samples), FH_I32), next = r.scratch("ring_next", shape(2), FH_I32);
  const fh_tensor sum = r.scratch("window_reward", shape(samples)), discount = r.scratch("window_discount", shape(samples)),
                  last = r.scratch("window_end", shape(samples), FH_I32);
  const auto begun = [&](fh_tensor all) { return r.view(all, 0, shape(samples)); };
  r.launch(kernels::ring_slots, Grid::blocks(1),
           {in(begun(valid)), in(recording.read(ring_)), out(slot), out(next), i32(settings_.capacity), i32(samples)}, width);
  r.launch(kernels::n_step_windows, Grid::elements(samples),
           {in(reward), in(done), out(sum), out(discount), out(last), f32(settings_.gamma), i32(settings_.n_step),
            i32(horizon), i32(s.dim[0]), i32(accounts)});
  r.launch(kernels::ring_write, Grid::blocks(samples),
           {in(slot), in(states), in(last), in(begun(action)), in(sum), in(discount), inout(recording.write(state_)),
            inout(recording.write(next_state_)), inout(recording.write(action_)), inout(recording.write(reward_)),
            inout(recording.write(discount_))},
           width);
  r.copy(recording.write(ring_), next);
}

Batch Replay::record_sample(compute::Recording& recording, compute::TensorId step, uint32_t salt) const {
  Recorder r = recording.recorder();
  const Recorder::Key key = r.stream("sample");
  const int64_t n = settings_.batch;
  const Batch b{r.scratch("state", shape(n, settings_.width)), r.scratch("next_state", shape(n, settings_.width)),
                r.scratch("action", shape(n), FH_I32), r.scratch("reward", shape(n)), r.scratch("discount", shape(n))};
  r.launch(kernels::ring_sample, Grid::blocks(n),
           {in(recording.read(ring_)), in(recording.read(step)), in(recording.read(state_)), in(recording.read(next_state_)),
            in(recording.read(action_)), in(recording.read(reward_)), in(recording.read(discount_)), out(b.state),
            out(b.next_state), out(b.action), out(b.reward), out(b.discount), u32(key.k[0]), u32(key.k[1]), u32(salt)},
           {constant("WIDTH", settings_.width)});
  return b;
}

}  // namespace foxhunt::agent
