#include "../kernels/agent.hpp"
#include "../kernels/manifest.hpp"
#include "agent.hpp"

namespace foxhunt::trainer {

void Agent::record_shaping(compute::Program& program, compute::Recording& main) {
  compute::Recording mine(program, tensors_, shaper_->kernels(),
                          {"reward_shaping", "shape_rewards", "reward_shaping", plan_.seed});
  std::vector<fh_tensor> controllers;
  for (const compute::TensorId id : shaper_controllers_) controllers.push_back(mine.write(id));
  const auto flat = [&](const compute::Operand& o) {
    compute::Operand window = o;
    window.shape = shape(plan_.samples());
    return window;
  };
  fh_shape_reward io{};
  io.size = sizeof io;
  io.controllers = controllers.data();
  io.reward = mine.read(flat(main.operand(series_row(main, 0))));
  io.shaped = mine.write(flat(main.operand(main.write(rollout.shaped))));
  io.step = mine.read(step_);
  io.update_controllers = 1;
  shaper_->shape(mine, io);
}

void Agent::record_append(compute::Recording& main) {
  Recorder r = main.recorder();
  main.set_step("update/append_replay");
  if (plan_.replay_kind == Plan::ReplayKind::sequence) {
    sequences_.record_append(main, main.read(rollout.x), main.read(rollout.action), main.read(rollout.shaped),
                             main.read(rollout.done), main.read(rollout.valid));
    return;
  }
  replay_.record_append(main, main.read(history_.states.all), main.read(history_.action.all), main.read(history_.shaped.all),
                        main.read(history_.done.all), main.read(history_.valid.all));
  if (plan_.replay.n_step == 1) return;
  // Through scratch: the rows to keep and where they go may overlap.
  for (const auto& [h, name] : {std::pair{history_.states, "keep_states"}, {history_.action, "keep_action"},
                                {history_.shaped, "keep_shaped"}, {history_.done, "keep_done"}, {history_.valid, "keep_valid"}}) {
    const fh_tensor before = main.write(h.before);
    const fh_shape kept = r.shape_of(before);
    int64_t row = 1;
    for (uint32_t d = 1; d < kept.rank; ++d) row *= kept.dim[d];
    const fh_tensor held = r.scratch(name, kept, tensors_[h.all].dtype);
    r.copy(held, r.view(main.read(h.all), plan_.horizon * row, kept));
    r.copy(before, held);
  }
}

void Agent::record_replay_updates(compute::Program& program) {
  compute::Recording replay(program, tensors_, program_kernels(), {"", "replay/sample", "replay", plan_.seed});
  for (int64_t u = 0; u < plan_.replay_updates; ++u) {
    const auto update = static_cast<uint32_t>(u);
    replay.set_step("replay/sample");
    switch (plan_.replay_kind) {
      case Plan::ReplayKind::embedding: {
        record_learning(program, replay, replay_.record_sample(replay, step_, update), update, 0);
        break;
      }
      case Plan::ReplayKind::observation:
        record_observation_update(program, replay, update);
        break;
      case Plan::ReplayKind::sequence:
        record_sequence_update(program, replay, update);
        break;
    }
  }
}

// A diagnostic head sees the same features and gives nothing back, neither to what made them nor to V.
void Agent::record_learning(compute::Program& program, compute::Recording& replay, const agent::Batch& batch, uint32_t update, fh_tensor total) {
  Recorder r = replay.recorder();
  const int64_t n = plan_.replay.batch, H = plan_.encoder.hidden;
  std::pair<fh_tensor, fh_tensor> values{0, 0};
  const auto value_of = [&](const char* name, fh_tensor h) {
    const fh_tensor v = r.scratch(name, shape(n));
    actor_critic_->record_value(replay, h, v);
    return v;
  };
  struct OfValue {
    fh_tensor gradient;
    double weight;
  };
  std::vector<OfValue> of_value;
  bool first = true;
  for (const auto& head : heads_) {
    const Roles& roles = head->roles();
    const bool reads = head->instance().reads_value(), trains_value = reads && !roles.diagnostic();
    if (reads && !values.first) values = {value_of("value", batch.state), value_of("value_next", batch.next_state)};
    Head::Gradients to;
    if (total && roles.ensemble_weight != 0) to.h = r.scratch("grad_of_head", shape(n, H));
    if (trains_value) {
      to.value = r.scratch(("grad_of_value_by_" + head->name()).c_str(), shape(n));
      of_value.push_back({to.value, roles.ensemble_weight != 0 ? roles.ensemble_weight : 1});
    }
    HeadRecordings own = recordings(program, *head, "learn");
    head->record_learn(own, replay, batch, reads ? values : std::pair<fh_tensor, fh_tensor>{0, 0}, step_, plan_, replay_ring(), q_lr_,
                       update, to);
    if (to.h) {
      r.launch(kernels::ensemble_add, Grid::elements(n * H),
               {in(to.h), inout(total), f32(roles.ensemble_weight), i32(first ? 1 : 0), i32(n * H)});
      first = false;
    }
  }
  if (total && first) r.fill(total, 0);
  bool add = update > 0;
  for (const OfValue& v : of_value) {
    actor_critic_->record_outside_gradient(replay, batch.state, v.gradient, v.weight, 1.0 / static_cast<double>(plan_.replay_updates),
                                           replay.write(outside_value_gradient_.w), replay.write(outside_value_gradient_.b), add, total);
    add = true;
  }
}

// The heads learn from features made just now. Returns the gradient of batch.state.
fh_tensor Agent::record_heads(compute::Program& program, compute::Recording& replay, const agent::Batch& batch, uint32_t update) {
  const fh_tensor total = replay.recorder().scratch("grad_encoded", shape(plan_.replay.batch, plan_.encoder.hidden));
  record_learning(program, replay, batch, update, total);
  if (q_balance_.on()) q_balance_.record_scale(replay, total);
  return total;
}

// What heads said of V since the last update, on top of the on-policy gradient.
void Agent::record_outside_value_gradient(compute::Recording& main) {
  if (!outside_value_gradient_.w) return;
  Recorder r = main.recorder();
  for (const auto& [from, to] : {std::pair{outside_value_gradient_.w, actor_critic_->value_w_gradient()},
                                 {outside_value_gradient_.b, actor_critic_->value_b_gradient()}}) {
    const int64_t n = compute::elements_of(tensors_[from].shape);
    r.launch(kernels::add_gradient, Grid::elements(n),
             {in(main.read(from)), in(main.read(replay_ring())), inout(main.write(to)), i32(plan_.replay_start), i32(n)});
  }
}

void Agent::record_encoder_step(compute::Recording& replay) {
  encoder_group_.record_step(replay, plan_.q_adam, replay.read(q_lr_), replay_ring(), plan_.replay_start);
  if (q_balance_.on()) q_balance_.record_weighted_squares(replay, replay.read(encoder_group_.gradient_squares()));
  encoder_group_.record_soft_update(replay, plan_.q_tau, plan_.q_target_every);
}

// From single observations, for encoders without a memory.
void Agent::record_observation_update(compute::Program& program, compute::Recording& replay, uint32_t update) {
  Recorder r = replay.recorder();
  const int64_t n = plan_.replay.batch, F = plan_.encoder.features, H = plan_.encoder.hidden;
  agent::Batch batch = replay_.record_sample(replay, step_, update);
  const fh_tensor x = r.reshape(batch.state, shape(1, n, F)), x_next = r.reshape(batch.next_state, shape(1, n, F));
  replay.set_step("replay/encode");
  const auto encoded = [&](agent::Encoder::Pass& pass, const char* name, fh_tensor from) {
    const fh_tensor h = r.scratch(name, shape(n, H));
    pass.record_sequence(replay, from, 0, r.reshape(h, shape(1, n, H)));
    return h;
  };
  batch.state = encoded(*replay_pass_, "encoded", x);
  batch.next_state = encoded(*target_pass_, "encoded_next", x_next);
  if (select_pass_) batch.select = encoded(*select_pass_, "encoded_select", x_next);
  const fh_tensor gradient = record_heads(program, replay, batch, update);
  replay.set_step("replay/backward");
  replay_pass_->record_backward(replay, x, 0, r.reshape(gradient, shape(1, n, H)));
  record_encoder_step(replay);
}

// From sequences: the encoders of either net run over them from the stored start state.
void Agent::record_sequence_update(compute::Program& program, compute::Recording& replay, uint32_t update) {
  Recorder r = replay.recorder();
  const agent::SequenceReplay::Settings& s = sequences_.settings();
  const int64_t n = s.drawn(), rows = s.learned(), F = plan_.encoder.features, H = plan_.encoder.hidden;
  const agent::SequenceReplay::Drawn drawn = sequences_.record_sample(replay, step_, update);
  agent::SequenceReplay::Transitions t = sequences_.record_transitions(replay, drawn);
  replay.set_step("replay/encode");
  const auto from_burn_in = [&](fh_tensor steps, int64_t count, int64_t columns) {
    return columns == 0 ? r.view(steps, s.burn_in * n, shape(count, n)) : r.view(steps, s.burn_in * n * columns, shape(count, n, columns));
  };
  // h of `count` steps, then the rows of it that the batch is made of.
  const auto encoded = [&](agent::Encoder::Pass& pass, const std::string& name, int64_t count, fh_tensor chosen) {
    const fh_tensor h = r.scratch((name + "_steps").c_str(), shape(count, n, H)), to = r.scratch(name.c_str(), shape(s.batch, H));
    sequences_.record_start(replay, drawn, pass);
    pass.record_sequence(replay, from_burn_in(drawn.x, count, F), from_burn_in(drawn.valid, count, 0), h);
    r.launch(kernels::gather_rows, Grid::elements(s.batch * H),
             {in(chosen), in(h), out(to), i32(1), i32(count * n), i32(s.batch), i32(H)});
    return to;
  };
  t.batch.next_state = encoded(*target_pass_, "encoded_next", rows + 1, t.next_row);
  if (select_pass_) t.batch.select = encoded(*select_pass_, "encoded_select", rows + 1, t.next_row);
  t.batch.state = encoded(*replay_pass_, "encoded", rows, t.row);
  const fh_tensor gradient = record_heads(program, replay, t.batch, update);
  replay.set_step("replay/backward");
  const fh_tensor grad_h = r.scratch("grad_steps", shape(rows, n, H));
  sequences_.record_gradient(replay, t, gradient, grad_h);
  replay_pass_->record_backward(replay, from_burn_in(drawn.x, rows, F), from_burn_in(drawn.valid, rows, 0), grad_h);
  record_encoder_step(replay);
}

}  // namespace foxhunt::trainer
