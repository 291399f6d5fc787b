#include "replay.hpp"

#include "../kernels/replay.hpp"

namespace foxhunt::agent {

void Replay::declare(compute::Tensors& tensors, const Settings& settings) {
  settings_ = settings;
  const int64_t n = settings.capacity;
  const auto add = [&](const char* name, fh_dtype dtype, fh_shape s, const char* unit) {
    compute::TensorSpec spec;
    spec.name = std::string("/replay/") + name;
    spec.dtype = dtype;
    spec.shape = s;
    spec.axes = {"transition", "hidden"};
    spec.unit = unit;
    spec.lifetime = settings.in_checkpoint ? compute::Lifetime::state : compute::Lifetime::resident;
    return tensors.add(std::move(spec));
  };
  ring_ = add("ring", FH_I32, shape(2), "next slot, transitions held");
  h_ = add("h", FH_F32, shape(n, settings.hidden), "");
  h_next_ = add("h_next", FH_F32, shape(n, settings.hidden), "");
  action_ = add("action", FH_I32, shape(n), "");
  reward_ = add("reward", FH_F32, shape(n), "shaped, scaled");
  discount_ = add("discount", FH_F32, shape(n), "gamma, 0 where terminated");
}

void Replay::record_append(compute::Recording& recording, fh_tensor h, fh_tensor action, fh_tensor reward,
                           fh_tensor done, fh_tensor valid) const {
  Recorder r = recording.recorder();
  const fh_shape s = r.shape_of(action);
  const int64_t samples = elements(s), accounts = s.dim[1];
  const fh_tensor slot = r.scratch("slot", shape(samples), FH_I32), next = r.scratch("ring_next", shape(2), FH_I32);
  r.launch(kernels::ring_slots, Grid::blocks(1),
           {in(valid), in(recording.read(ring_)), out(slot), out(next), i32(settings_.capacity), i32(samples)},
           {constant("HIDDEN", settings_.hidden)});
  r.launch(kernels::ring_write, Grid::blocks(samples),
           {in(slot), in(h), in(action), in(reward), in(done), inout(recording.write(h_)),
            inout(recording.write(h_next_)), inout(recording.write(action_)), inout(recording.write(reward_)),
            inout(recording.write(discount_)), f32(settings_.gamma), i32(accounts)},
           {constant("HIDDEN", settings_.hidden)});
  r.copy(recording.write(ring_), next);
}

Batch Replay::record_sample(compute::Recording& recording, compute::TensorId step, uint32_t salt) const {
  Recorder r = recording.recorder();
  const Recorder::Key key = r.stream("sample");
  const int64_t n = settings_.batch;
  const Batch b{r.scratch("h", shape(n, settings_.hidden)), r.scratch("h_next", shape(n, settings_.hidden)),
                r.scratch("action", shape(n), FH_I32), r.scratch("reward", shape(n)), r.scratch("discount", shape(n))};
  r.launch(kernels::ring_sample, Grid::blocks(n),
           {in(recording.read(ring_)), in(recording.read(step)), in(recording.read(h_)), in(recording.read(h_next_)),
            in(recording.read(action_)), in(recording.read(reward_)), in(recording.read(discount_)), out(b.h),
            out(b.h_next), out(b.action), out(b.reward), out(b.discount), u32(key.k[0]), u32(key.k[1]), u32(salt)},
           {constant("HIDDEN", settings_.hidden)});
  return b;
}

}  // namespace foxhunt::agent
