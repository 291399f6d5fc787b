#include "sequence_replay.hpp"

#include <array>

#include "../kernels/replay.hpp"

namespace foxhunt::agent {

void SequenceReplay::declare(compute::Tensors& tensors, const Settings& settings, const std::vector<compute::TensorId>& start) {
  s_ = settings;
  from_ = start;
  const auto add = [&](const std::string& name, fh_dtype dtype, fh_shape s, std::array<std::string, 4> axes, const char* unit) {
    compute::TensorSpec spec;
    spec.name = "/replay/" + name;
    spec.dtype = dtype;
    spec.shape = s;
    spec.axes = std::move(axes);
    spec.unit = unit;
    spec.lifetime = s_.in_checkpoint ? compute::Lifetime::state : compute::Lifetime::resident;
    return tensors.add(std::move(spec));
  };
  const int64_t n = s_.sequences, T = s_.horizon;
  ring_ = add("ring", FH_I32, shape(2), {}, "next slot, transitions held");
  x_ = add("x", FH_F32, shape(n, T + 1, s_.features), {"sequence", "step", "feature"}, "");
  action_ = add("action", FH_I32, shape(n, T), {"sequence", "step"}, "");
  reward_ = add("reward", FH_F32, shape(n, T), {"sequence", "step"}, "shaped, scaled");
  done_ = add("done", FH_U8, shape(n, T), {"sequence", "step"}, "1 terminated, 2 truncated");
  valid_ = add("valid", FH_U8, shape(n, T), {"sequence", "step"}, "");
  for (size_t i = 0; i < from_.size(); ++i) {
    const int64_t columns = compute::elements_of(tensors[from_[i]].shape) / s_.accounts;
    start_.push_back(add("start" + std::to_string(i), FH_F32, shape(n, columns), {"sequence", "carried"}, ""));
  }
}

void SequenceReplay::record_append(compute::Recording& recording, fh_tensor x, fh_tensor action, fh_tensor reward,
                                   fh_tensor done, fh_tensor valid) const {
  Recorder r = recording.recorder();
  const int64_t T = s_.horizon, B = s_.accounts;
  const auto write = [&](fh_tensor values, compute::TensorId to, int64_t rows, int64_t columns) {
    r.launch(kernels::sequence_write, Grid::elements(rows * B * columns),
             {in(values), in(recording.read(ring_)), inout(recording.write(to)), i32(rows), i32(B), i32(columns), i32(s_.sequences)});
  };
  write(x, x_, T + 1, s_.features);
  for (size_t i = 0; i < start_.size(); ++i) {
    const fh_tensor carried = recording.read(from_[i]);
    write(carried, start_[i], 1, elements(r.shape_of(carried)) / B);
  }
  r.launch(kernels::sequence_write_steps, Grid::elements(T * B),
           {in(recording.read(ring_)), in(action), in(reward), in(done), in(valid), inout(recording.write(action_)),
            inout(recording.write(reward_)), inout(recording.write(done_)), inout(recording.write(valid_)), i32(T), i32(B),
            i32(s_.sequences)});
  r.launch(kernels::sequence_advance, Grid::elements(1), {inout(recording.write(ring_)), i32(T), i32(B), i32(s_.sequences)});
}

SequenceReplay::Drawn SequenceReplay::record_sample(compute::Recording& recording, compute::TensorId step, uint32_t salt) const {
  Recorder r = recording.recorder();
  const Recorder::Key key = r.stream("sample");
  const int64_t T = s_.horizon, n = s_.drawn(), F = s_.features;
  const Drawn d{r.scratch("slot", shape(n), FH_I32),       r.scratch("x", shape(T + 1, n, F)),
                r.scratch("steps_action", shape(T, n), FH_I32), r.scratch("steps_reward", shape(T, n)),
                r.scratch("steps_done", shape(T, n), FH_U8),    r.scratch("steps_valid", shape(T + 1, n), FH_U8)};
  r.launch(kernels::sequence_draw, Grid::elements(n),
           {in(recording.read(ring_)), in(recording.read(step)), in(recording.read(valid_)), out(d.slot), i32(s_.burn_in),
            i32(T), i32(n), u32(key.k[0]), u32(key.k[1]), u32(salt)});
  r.launch(kernels::sequence_read, Grid::elements((T + 1) * n * F),
           {in(d.slot), in(recording.read(x_)), out(d.x), i32(T + 1), i32(n), i32(F)});
  r.launch(kernels::sequence_read_steps, Grid::elements((T + 1) * n),
           {in(d.slot), in(recording.read(action_)), in(recording.read(reward_)), in(recording.read(done_)),
            in(recording.read(valid_)), out(d.action), out(d.reward), out(d.done), out(d.valid), i32(T), i32(n)});
  return d;
}

void SequenceReplay::record_start(compute::Recording& recording, const Drawn& drawn, Encoder::Pass& pass) const {
  Recorder r = recording.recorder();
  const int64_t n = s_.drawn();
  const std::vector<compute::TensorId> to = pass.start();
  for (size_t i = 0; i < to.size(); ++i) {
    const fh_tensor target = recording.write(to[i]);
    const int64_t total = elements(r.shape_of(target));
    r.launch(kernels::sequence_read, Grid::elements(total),
             {in(drawn.slot), in(recording.read(start_[i])), out(target), i32(1), i32(n), i32(total / n)});
  }
  if (s_.burn_in > 0)
    pass.record_burn_in(recording, r.view(drawn.x, 0, shape(s_.burn_in, n, s_.features)),
                        r.view(drawn.valid, 0, shape(s_.burn_in, n)));
}

SequenceReplay::Transitions SequenceReplay::record_transitions(compute::Recording& recording, const Drawn& drawn) const {
  Recorder r = recording.recorder();
  const int64_t n = s_.drawn(), rows = s_.learned(), batch = s_.batch;
  const auto learned = [&](fh_tensor steps) { return r.view(steps, s_.burn_in * n, shape(rows, n)); };
  const fh_tensor sum = r.scratch("window_reward", shape(batch)), discount = r.scratch("window_discount", shape(batch)),
                  end = r.scratch("window_end", shape(batch), FH_I32);
  r.launch(kernels::n_step_windows, Grid::elements(batch),
           {in(learned(drawn.reward)), in(learned(drawn.done)), out(sum), out(discount), out(end), f32(s_.gamma),
            i32(s_.n_step), i32(rows), i32(rows), i32(n)});
  Transitions t{};
  t.row = r.scratch("row", shape(batch), FH_I32);
  t.next_row = r.scratch("next_row", shape(batch), FH_I32);
  t.rank = r.scratch("rank", shape(batch), FH_I32);
  t.valid_count = r.scratch("valid_count", shape(1), FH_I32);
  t.batch.action = r.scratch("action", shape(batch), FH_I32);
  t.batch.reward = r.scratch("reward", shape(batch));
  t.batch.discount = r.scratch("discount", shape(batch));
  r.launch(kernels::pick_valid, Grid::blocks(1),
           {in(learned(drawn.valid)), out(t.row), out(t.rank), out(t.valid_count), i32(batch)});
  r.launch(kernels::gather_transitions, Grid::elements(batch),
           {in(t.row), in(learned(drawn.action)), in(sum), in(discount), in(end), out(t.batch.action), out(t.batch.reward),
            out(t.batch.discount), out(t.next_row), i32(batch)});
  return t;
}

void SequenceReplay::record_gradient(compute::Recording& recording, const Transitions& t, fh_tensor of_batch, fh_tensor of_rows) const {
  Recorder r = recording.recorder();
  const int64_t columns = r.shape_of(of_batch).dim[1];
  r.launch(kernels::scatter_picked, Grid::elements(s_.batch * columns),
           {in(t.rank), in(t.valid_count), in(of_batch), out(of_rows), i32(s_.batch), i32(columns)});
}

}  // namespace foxhunt::agent
